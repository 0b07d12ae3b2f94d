// Package columns is the interface to the Arche ECS: it finds changes in a world, and writes
// received values into it.
//
// A Table tracks every entity that has a marker component. It assigns a dense Slot to each one and
// maps the rows of Arche's archetypes to slots. Arche sends events about structure (entities,
// components, relation targets) but never about changes of values, so Observe compares whole
// columns of components with copies, the shadow columns.
//
// It guarantees that
//   - the reports of an Observe are the difference between the world at this Observe and at the
//     previous one: a change that was undone in between is not reported, and neither is a write
//     of an equal value;
//   - a slot is in at most one of Spawned and Despawned, and a slot that was reported as
//     despawned is not reused before the next Observe;
//   - the records of Undo, applied in reverse order, lead back to the structure at each earlier Sync;
//   - the order of a report depends only on the order of operations on the world;
//   - a tick allocates nothing once its buffers have grown to the world's size.
//
// It does not
//
//   - see writes between two Observes that undo each other;
//
//   - track entities without the marker, or components that are not Columns;
//
//   - interpret values: a value can only have changed if its bytes have, and then Column.Equal
//     decides. Padding bytes count too, so without Column.Equal an equal value can be reported;
//
//   - create entities of its own in the world, with one exception: if the world's listener has
//     changed, it creates an entity without components and removes it at once, to check whether
//     events still arrive. It does not notice a listener that was replaced and restored between
//     two Observes.
//
// The methods of a Table are:
//   - set-up: New, or NewStructure for a table that tracks no values; then add Listener to the
//     world's listener.Dispatch;
//   - commands: Overlook, Sync, Observe; Commit, for a table of NewStructure; Save
//     and Load of columns by slot;
//   - reports of the last Observe: Spawned, Despawned, Paused, Resumed, Structure,
//     Retargeted, Changed, MarkerChanged; of the last Sync: Undo;
//   - getters: SlotOf, Entity, Mask, Target, Value, Marker, Known, KnownMarker, Len, and by
//     segments of rows Segments, Rows, ColumnRows, Shifts.
//
// A Table is not safe for concurrent use. Several goroutines may read byte slices that its methods
// returned before, as long as nothing changes the structure of the world.
//
// # Where things are
//
// The tracked entities and components are in schema.go, slot.go, table.go, segment.go and rows.go.
// Changes of values are found (Table.Observe) in compare.go, diff.go, differ.go, small.go and
// canary.go, changes of structure in listener.go, pending.go and sync.go. Results are in reports.go
// and read.go.
//
// Values are written in writer.go, batch.go, cell.go, stretch.go and value.go. The functions for histories
// are in structure.go (NewStructure), save.go, scatter.go and undo.go.
//
// The package does not depend on networking or on the registry: the caller describes the components.
// Only this package and the compiled plans of package wire import unsafe.
package columns
