// Package smooth computes the displayed values of components that change from tick to tick and
// are corrected by rollbacks: between two ticks a blend of two samples, and after a correction a
// gradual transition from the displayed value to the corrected one.
//
// A [Track] holds the values of one component, of any number of entities. Each entity has a row:
// rows are in the order of the caller's columns in memory, so that a part of a column is a range
// of rows. The caller reports a change of that order by Arrange. The package does not know the
// type of values: a [Kind] has functions for them.
//
// # Guarantee
//
//   - Restore restores, byte for byte, the true values that Show replaced. A value that was
//     written by the game in between is kept: it is the true value then.
//   - A row is displayed between its two latest samples, at the share of a tick that has passed
//     since the later one; with less than two samples it shows its true value.
//   - A correction does not change the displayed value at the moment when it occurs, and is
//     complete a time of Kind.Over after the last correction. In between, the remainder
//     depends on the time that has passed, and not on the number of frames. Where values differ
//     too much for Kind.TooFar, the corrected value is displayed at once.
//   - Corrections add up.
//
// Nothing is allocated once the number of rows has reached its maximum.
//
// # How to drive it
//
// In a frame: Restore for each range of rows, Restored. In a tick: if Open, Sample for each range
// and Sampled; then Advance. At the end of the frame: if Open, Sample for each range and Sampled,
// else Peek for each; then Show, and Put for each range.
//
// In a correction: Keep, before any corrected value is sampled. For recomputed values, Before
// with those at the end of the second last tick. Then, before anything else is sampled, Amend
// with those at the end of the last tick, and Ease.
//
// The methods are:
//   - rows: Arrange, Exclude, Len;
//   - samples: Open, Sample, Sampled, Advance, Peek;
//   - corrections: Keep, Kept, Before, Amend, Ease;
//   - display: Show, Put, Restore, Restored, Shown;
//   - rows without two samples: Ready, Unblended.
package smooth
