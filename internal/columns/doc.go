// Package columns is the interface to the Arche ECS: it finds changes in a world, and writes received
// values into it.
//
// A Table tracks every entity that carries a marker component. It assigns a dense Slot to each one, maps
// the rows of Arche's archetypes to slots, and at Observe compares whole columns of components with
// shadow columns, because Arche reports structure (entities, components, relation targets) but never a
// change of value.
//
// It guarantees that
//   - the reports of an Observe are the difference between the world now and the world at the
//     previous Observe: a change that was undone in between leaves no trace, and an equal
//     value written again is not a change;
//   - a slot is in at most one of Spawned and Despawned, and a slot that was reported as
//     despawned is not reused before the next Observe;
//   - the records of Undo, applied backwards, give the structure of each earlier Sync;
//   - the order of a report depends only on the order of operations on the world;
//   - a tick allocates nothing once its buffers have grown to the world's size.
//
// It does not
//
//   - see writes between two Observes that cancel each other;
//
//   - track entities without the marker, or components that are not Columns;
//
//   - interpret values: byte equality nominates, Column.Equal decides. Padding bytes count as
//     value, so they err towards "changed";
//
//   - own an entity of the world. Only if the world's listener has changed, an entity without
//     components is created and removed at once, to check whether events still arrive. A
//     listener that was replaced and restored between two Observes goes unnoticed.
//
// The methods of a Table are:
//   - set-up: New, or NewStructure for one that tracks no values, then add Listener to the
//     world's listener.Dispatch;
//   - commands: SetMuted, Overlook, Sync, Observe, Accept; Commit, for a table of NewStructure; Save
//     and Load of columns by slot;
//   - reports of the last Observe: Spawned, Despawned, Paused, Resumed, Structure,
//     Retargeted, Changed, MarkerChanged; of the last Sync: Undo;
//   - getters: SlotOf, Entity, Mask, Target, Value, Marker, Known, KnownMarker, Len, and by
//     segments of rows Segments, Rows, ColumnRows, Shifts.
//
// A Table is not safe for concurrent use. Reading views obtained before is, as long as nothing changes
// the structure of the world.
//
// # Where things are
//
// What is tracked: schema.go, slot.go, table.go, segment.go, rows.go. Finding changed values (Table.Observe):
// compare.go, diff.go, differ.go, small.go, canary.go. Structure: listener.go, pending.go,
// sync.go. Results: reports.go, read.go.
//
// Writing: writer.go, cell.go, stretch.go, value.go. Histories: structure.go (NewStructure), save.go,
// scatter.go, undo.go.
//
// The package does not depend on networking or on the registry: the caller describes the components.
// Only this package and the compiled plans of package wire import unsafe.
package columns
