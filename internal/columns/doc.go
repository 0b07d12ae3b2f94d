// Package columns is the seam to the Arche ECS: it finds out what a world
// changed, and it writes what the network says.
//
// A Table follows every entity that carries a marker component. It gives each
// one a dense Slot, keeps a map from the rows of Arche's archetypes to slots,
// and at Observe compares whole columns of components with shadow columns, since
// Arche reports structure (entities, components, relation targets) but never a
// change of value.
//
// It guarantees that
//   - the reports of an Observe are the difference between the world now and the
//     world at the Observe before: what was done and undone between leaves no
//     trace, and an equal value written again is not a change;
//   - a slot is in at most one of Spawned and Despawned, and a slot that was
//     reported as despawned is not given out again before the next Observe;
//   - the records of Undo, applied backwards, give the structure of each earlier
//     Sync;
//   - the order of a report depends only on the order of operations on the world;
//   - a tick allocates nothing once its buffers have grown to the world's size.
//
// It does not
//
//   - see writes between two Observes that cancel each other;
//
//   - follow entities without the marker, or components that are not Columns;
//
//   - look into values: byte equality nominates, Column.Equal decides. Padding
//     bytes count as value, so they err towards "changed".
//
//   - own an entity of the world. Only when the world's listener is another one
//     than before, one without components is created and removed at once, to hear
//     whether events still arrive. A listener that was replaced and put back
//     between two Observes goes unnoticed.
//
// The methods of a Table come in families:
//   - set-up: New, or NewStructure for one that follows no values, then add Listener
//     to the world's listener.Dispatch;
//   - commands: SetMuted, Sync, Observe, Accept; Settle; Save and Load of columns by
//     slot;
//   - reports of the last Observe: Spawned, Despawned, Paused, Resumed,
//     Structure, Retargeted, Changed, MarkerChanged; of the last Sync: Undo;
//   - getters: SlotOf, Entity, Mask, Target, Value, Marker, Known, KnownMarker,
//     Len, and by segments of rows Segments, Rows, ColumnRows, Shifts.
//
// A Table is not safe for use by several goroutines. Reading views obtained
// before is, as long as nothing changes the structure of the world.
//
// The package knows nothing of networking or of the registry: a caller describes
// the components. Only this package and the compiled plans of package protocol
// import unsafe.
package columns
