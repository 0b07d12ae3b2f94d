// Package rollback stores the state of a predicting client: the histories of its entities in the
// last ticks, and their confirmed state. It finds differences between the two, and plans the steps
// that lead from a difference to the present.
//
// All data is in columns, which are indexed by [Slot]: the number of an entity that is predicted or
// is rolled back with a predicted one. The columns are in the order of Config.Sizes; a [set.Mask] is a
// set of columns. A value is a series of bytes: the caller, which owns the components, knows their
// meaning and whether two values that differ in bytes are equal.
//
// The state at a tick is the state after that tick has run.
//
// It guarantees that
//   - FormAt returns the structure that an entity had at each held tick, from the records of
//     Changed, in time proportional to the number of changes;
//   - Compare finds exactly the slots where the confirmed state, as of the confirmed tick,
//     has values other than the history of that tick, even if no new confirmed state has arrived;
//   - columns are compared and copied by runs of slots, and single slots are visited only
//     where bytes differ;
//   - memory is bounded by Config.Ticks, the number of slots given to Grow, and the columns in
//     use; nothing is allocated when these do not grow.
//
// It does not
//   - access the world: its caller writes the histories and restores from them;
//   - clear the values of a slot in a column when its entity is removed. Whether a slot has a
//     value is decided by its Form and Confirmed, never by the bytes.
//
// The methods of a [Store] by purpose:
//   - set-up: New, Grow;
//   - histories: Begin, BeginEmpty, Column, Arrange, Placed, Changed, Always, Backfill, Cut, Shelve, Clear, Forget; getters
//     Holds, Newest, FormAt, Touched, EachUnlike;
//   - confirmed state: Confirmed, ConfirmedValue, ConfirmedColumn, Note, NoteValues,
//     Exclude;
//   - comparing and rolling back: Compare, then Wanted, Correct, Due.
//
// A client plans each frame with a [Timeline]: its methods list the [Step]s that bring the world to
// the present tick. To carry out StepRestore for a tick T, give each slot that Wanted visits its
// form, call Correct(T), copy the columns of T into the world, and call Cut(T). To carry out
// StepTick and StepInsert of a tick, call Begin, then Changed for each change, then write the
// confirmed state of the slots of Due into the world, and then the world into the columns.
//
// # Where things are
//
// The Store is in config.go and form.go, histories are in ring.go and place.go (values) and log.go
// (structure), confirmed state is in confirmed.go. Comparisons are in changes.go (which slots),
// list.go, compare.go and mismatch.go. Rollbacks are in plan.go (Timeline, Step) and restore.go.
package rollback
