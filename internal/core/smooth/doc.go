// Package smooth works out what a screen shows of values that change from tick to tick, and
// that a rollback puts right: between two ticks something between two samples, and after a
// correction the picture from before, easing over to what is right.
//
// A [Track] has the values of one component, of any number of entities. Each entity has a
// row: rows are in the order in which the caller's columns lie in memory, so that a stretch
// of a column is a stretch of rows. The caller says by Arrange when that order is another
// one. Nothing here knows what the values are: a [Kind] has the functions that do.
//
// # Guarantee
//
//   - Restore puts back, byte for byte, what Show took the place of. What someone has written
//     to a value since is left as it is: it is the truth then.
//   - A row is shown between its two latest samples, at the share of a tick that has passed
//     since the latter; with less than two samples, what is true.
//   - A correction does not move the picture of the moment at which it comes, and a time of
//     Kind.Over after the last one nothing of it is left. In between, what is left depends on the time that
//     has passed, and not on how often the picture was made. Where values differ by too
//     much for Kind.TooFar, the picture is right at once.
//   - Corrections on top of each other add up.
//
// Nothing is allocated once the rows have been as many as they will be.
//
// # How to drive it
//
// A frame: Restore for each stretch, Restored. A tick: if Open, Sample for each stretch and
// Sampled; then Advance. The end of the frame: if Open, Sample for each stretch and Sampled,
// and else Peek for each; then Show, and Put for each stretch.
//
// A correction: Keep, before a sample is taken of anything that is corrected. Of what was
// computed anew, Before with the values at the end of the last tick but one. Then, before
// anything else is sampled, Amend with those at the end of the last one, and Ease.
//
// The methods come in families:
//   - rows: Arrange, Leave, Len;
//   - samples: Open, Sample, Sampled, Advance, Peek;
//   - corrections: Keep, Kept, Before, Amend, Ease;
//   - the picture: Show, Put, Restore, Restored, Shown;
//   - what waits for its second sample: Ripe, Odd.
package smooth
