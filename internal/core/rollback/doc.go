// Package rollback stores the state of a predicting client: the histories of its entities over the
// last ticks, and their confirmed state. It finds differences between the two, and plans the steps
// that lead from there to the present.
//
// All data is in columns by [Slot], the dense number of an entity that is predicted or rolls back
// with a predicted one. The columns have one order, that of Config.Sizes; sets of them are a
// [Mask]. A value is a run of bytes: the owner of the components knows their meaning, and whether
// two values that differ in bytes are equal.
//
// State at a tick means the state after that tick has run.
//
// It guarantees that
//   - FormAt gives the structure that an entity had at each tick that is held, from the
//     records of Changed, at the cost of what changed;
//   - Compare finds exactly the slots where the confirmed state, as of the confirmed tick,
//     differs from the history of that tick, even if no new confirmed state has arrived;
//   - columns are compared and copied by runs of slots, and single slots are visited only
//     where bytes differ;
//   - memory is bounded by Config.Ticks, the slots of Grow, and the columns that are
//     used; nothing is allocated once it has been grown to these.
//
// It does not
//   - know the world: its caller writes the histories and restores from them;
//   - clear the values of ended slots in a column. The Form and the Confirmed of a slot
//     decide whether it has a value, never the bytes.
//
// The methods of a [Store] by purpose:
//   - set-up: New, Grow;
//   - histories: Begin, Column, Arrange, Placed, Changed, Always, Backfill, Cut, Shelve, Clear, Forget; getters
//     Holds, Newest, FormAt, Touched, EachUnlike;
//   - confirmed state: Confirmed, ConfirmedValue, ConfirmedColumn, Note, NoteValues,
//     Exclude;
//   - comparing and rolling back: Compare, then Wanted, Correct, Due.
//
// A client plans each frame with a [Timeline]: its methods list the [Step]s that bring the world
// to the present. StepRestore to a tick T means: give each slot of Wanted its form; Correct(T); copy
// the columns of T into the world; Cut(T). StepTick and StepInsert of a tick mean: Begin, then Changed
// for each change, then write the confirmed state of the slots of Due into the world, and the world
// into the columns.
//
// # Where things are
//
// The Store: config.go, form.go. Histories: ring.go and place.go (values), log.go (structure).
// Confirmed state: confirmed.go. Comparing: changes.go (which slots), list.go, compare.go, mismatch.go.
// Rolling back: plan.go (Timeline, Step), restore.go.
package rollback
