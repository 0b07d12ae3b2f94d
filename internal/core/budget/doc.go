// Package budget limits traffic: it computes how many bytes may be sent now under a rate, and how
// they are divided if several senders want more than that. It also bounds the work that incoming
// data causes.
//
// # What is here
//
//   - A [Bucket] limits bytes to a rate. The sender reads its Level before it sends, and reports
//     the sent bytes by Spend. The level becomes negative, which is a debt, if data was begun
//     while some bytes were left or must be sent in any case; new bytes pay the debt first.
//   - A [Share] divides a total among many, and [Two] between two, by max-min fairness: bytes
//     that one does not want are divided equally among those that want more.
//   - A [Pool] is a bucket that several share. Each has an [Account], which pays its own debts.
//   - An [Intake] divides the work that this end does for its peers in a frame, in units; a
//     [Quota] is one peer's part of it. It decides which packets are read and which are dropped,
//     and when a peer has sent too much for too long.
//
// # What it guarantees
//
// In any span of time, a bucket allows at most its rate times the span, plus its size, plus the
// debt that its owner made. It counts in integers, so rounding errors do not add up. All results
// depend only on the arguments.
package budget
