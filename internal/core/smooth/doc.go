// Package smooth computes the displayed values of components that change from tick to tick and are
// corrected by rollbacks. Between two ticks it displays a blend of two samples, and after a
// correction it moves gradually from the displayed value to the corrected one.
//
// A [Track] holds the values of one component for any number of entities. Each entity has a row.
// The rows are in the order of the caller's columns in memory, so that a part of a column is a
// range of rows. When that order changes, the caller calls Arrange. The package does not know the
// type of the values: a [Kind] has functions for them.
//
// # Guarantee
//
//   - Restore restores, byte for byte, the true values that Show and Put replaced. If the game has
//     written to a value in between, that value is kept: it is the true value from then on.
//   - A row is displayed between its two latest samples, by the share of a tick that has passed
//     since the later one. With less than two samples it is displayed with its true value.
//   - A correction does not change the displayed value at the moment when it occurs, and is
//     complete Kind.Over after the last correction. In between, the remainder depends on the
//     time that has passed, and not on the number of frames. If Kind.TooFar reports that the
//     values differ too much, the corrected value is displayed at once.
//   - Corrections add up.
//
// Nothing is allocated after the number of rows has reached its maximum.
//
// # How to drive it
//
// At the beginning of a frame, call Restore for each range of rows, then Restored. In a tick, if
// Open returns true, call Sample for each range, then Sampled; after that Advance. At the end of
// the frame, if Open returns true, call Sample for each range, then Sampled, otherwise Peek for
// each range; then Show, and Put for each range.
//
// For a correction, call Keep before any corrected value is sampled. If values were recomputed by a
// replay, call Before with the values at the end of the tick before the last one. Then, before
// anything else is sampled, call Amend with the values at the end of the last tick, and Ease.
//
// The methods are:
//   - rows: Arrange, Exclude, Len;
//   - samples: Open, Sample, Sampled, Advance, Peek;
//   - corrections: Keep, Kept, Before, Amend, Ease;
//   - display: Show, Put, Restore, Restored, Shown;
//   - rows without two samples: Ready, Unblended.
package smooth
