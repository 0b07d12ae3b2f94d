// Package budget holds bytes back: how many may leave now under a rate, and who gets
// them where several want more than there are. And it bounds what is taken in.
//
// # What is here
//
//   - A [Bucket] keeps a rate. Whoever sends asks it before (Level), and tells it what
//     left (Spend). It goes into debt for what was begun while something was left, and
//     for what has to leave in any case; the debt is paid before anything else.
//   - A [Share] divides among many, and [Two] between two, in the manner that is called
//     max-min fair: what somebody does not want goes to those who want more, all alike.
//   - A [Pool] is a bucket that several share: each has an [Account] there, and pays its own debts.
//   - An [Intake] divides what this end does for its peers within a frame, in units of work, and a
//     [Quota] is what one of them has of it. It says which packets are read and which are dropped,
//     and when a peer has sent too much for too long.
//
// # What it guarantees
//
// In any span of time a bucket lets at most rate times span, its size, and the debt that
// its owner made, through. It counts in whole bytes and nanoseconds, so no rounding adds
// up. Nothing here depends on anything but its arguments.
package budget
