// Package budget limits traffic: how many bytes may be sent now under a rate, and how they are
// divided where several senders want more than there are. It also bounds incoming work.
//
// # What is here
//
//   - A [Bucket] keeps a rate. The sender asks it before sending (Level), and reports the sent
//     bytes (Spend). It goes into debt for data that was begun while some bytes were left, and for
//     data that must be sent in any case; the debt is paid before anything else.
//   - A [Share] divides among many, and [Two] between two, by max-min fairness: bytes that one does
//     not want go in equal parts to those that want more.
//   - A [Pool] is a bucket that several share: each has an [Account] there, and pays its own debts.
//   - An [Intake] divides the work that this end does for its peers within a frame, in units, and a
//     [Quota] is one peer's part of it. It decides which packets are read and which are dropped,
//     and when a peer has sent too much for too long.
//
// # What it guarantees
//
// In any span of time a bucket lets at most rate times span, its size, and the debt that its owner
// made, through. It counts in whole bytes and nanoseconds, so no rounding adds up. All results
// depend on the arguments alone.
package budget
