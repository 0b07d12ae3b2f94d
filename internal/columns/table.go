package columns

import (
	"fmt"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
)

// MaxColumns is the most columns of one table. Arche v0.15.3 cannot create an archetype in a world
// with more than 240 component types.
const MaxColumns = 240

// Column describes one component that a table tracks.
type Column struct {
	ID   ecs.ID
	Size int // bytes of one value, as reflect.Type.Size returns; 0 for a tag

	// Tag makes the table treat the component as one without bytes, whatever its Size is: only its
	// presence is tracked.
	Tag bool

	// Equal reports whether two values with different bytes count as equal, for example because
	// their encodings are equal. It must be an equivalence relation. A value is compared only with
	// the previous one, so if close values counted as equal, a value could drift without ever being
	// reported. It must not keep its arguments and must not change the world. If it is nil, values
	// are equal if their bytes are. A server sets it to compare encodings (source.NewCollector).
	Equal func(before, after []byte) bool
}

// Table tracks the entities of one world that have a marker component. The package documentation
// lists its guarantees.
type Table struct {
	schema
	tick entangle.Tick

	slots    slotTable
	segments segmentTable
	work     syncWork
	records  changeRecords
	syncs    uint32 // number of Syncs
	shifts   uint64 // number of Syncs that may have moved rows
	places   placeCache
	undo     []UndoRecord

	overlooked set.Mask // see Overlook
	reports    reports
	canary     canary
}

// New returns a table of the entities of w that have the component marker. The caller must add
// Listener to the world's listener before the first Observe. That Observe reports all entities that
// exist already as spawned.
//
// The marker needs at least one byte, and must not be among cols. Errors name the invalid column.
func New(w *ecs.World, marker ecs.ID, cols []Column) (*Table, error) {
	if w == nil {
		return nil, fmt.Errorf("columns: the world is nil; pass the world that the game runs in")
	}
	if len(cols) > MaxColumns {
		return nil, fmt.Errorf("columns: %d components are registered, Arche works with at most %d; merge some", len(cols), MaxColumns)
	}
	t := &Table{
		schema: schema{
			world: w, marker: marker, filter: ecs.All(marker),
			cols:  append(append(make([]Column, 0, len(cols)+1), cols...), Column{ID: marker}),
			colOf: make(map[ecs.ID]int, len(cols)), shapes: map[ecs.Mask]*shape{},
		},
		slots: newSlotTable(), segments: segmentTable{byKey: map[segmentKey]*segment{}},
		records: changeRecords{parked: map[Slot]*parking{}},
	}
	if err := t.checkColumns(); err != nil {
		return nil, err
	}
	t.reports.changed = make([][]Slot, len(t.cols))
	t.canary.install(w)
	return t, nil
}

// Sync updates slots and rows to the structure of the world, without comparing values. Undo then
// returns the changes of structure, and the next Observe reports them. Call Sync where slots are
// needed between two Observes, for example after each tick for histories. The records of changes
// and the slots of removed entities are kept until Observe, so call Observe every few Syncs. It
// returns the same errors as Observe.
func (t *Table) Sync() error {
	t.undo = t.undo[:0]
	if err := t.canary.check(t); err != nil {
		return err
	}
	if err := t.sync(); err != nil {
		return err
	}
	t.recordUndo()
	return nil
}

// Observe finds the changes since the last Observe, as of tick. The reports are valid until the
// next Observe. They are empty after an error.
//
// Its errors are ErrWorldLocked, ErrListenerLost and ErrWorldReset. When the cause of
// ErrListenerLost has been removed, the next Observe examines all entities and reports the missed
// changes.
func (t *Table) Observe(tick entangle.Tick) error {
	t.clearReports()
	if err := t.Sync(); err != nil {
		return err
	}
	t.tick = tick
	t.reportPending()
	if !t.formsOnly {
		t.compare()
	}
	return nil
}

// Overlook sets the columns whose changed values the next Observes accept without a report. This
// takes little more time than comparing the bytes. A later Observe does not report these changes
// either.
func (t *Table) Overlook(cols set.Mask) { t.overlooked = cols }

// Tick returns the tick of the last Observe that succeeded.
func (t *Table) Tick() entangle.Tick { return t.tick }
