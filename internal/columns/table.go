package columns

import (
	"fmt"

	"github.com/entangle-ecs/entangle"
	"github.com/mlange-42/arche/ecs"
)

// MaxColumns is the largest number of columns of one table. Arche v0.15.3 cannot
// create an archetype in a world with more than 240 component types.
const MaxColumns = 240

// Column describes one component that a table tracks.
type Column struct {
	ID   ecs.ID
	Size int // bytes of one value, as reflect.Type.Size says; 0: a tag

	// Tag treats a component as one without bytes, whatever its Size: only its presence is
	// tracked.
	Tag bool

	// Equal decides whether two values that differ in bytes differ at all, for example by
	// comparing their encodings. It must be an equivalence: each value is compared with the
	// one before, so values that are close but not equal would drift without a report. It
	// must not keep its arguments and must not change the world. Nil: byte equality is value
	// equality.
	Equal func(before, after []byte) bool
}

// Table tracks the entities of one world that have a marker component. See the package documentation for its guarantees.
type Table struct {
	world  *ecs.World
	marker ecs.ID
	filter ecs.Mask // of the marker
	cols   []Column // the marker's column is the last
	colOf  map[ecs.ID]int
	tick   entangle.Tick

	slots    slotTable
	segments []*segment
	outlines []outline // parallel to segments
	byKey    map[segmentKey]*segment
	shapes   map[ecs.Mask]*shape
	lastSeg  *segment

	formsOnly  bool // structure is tracked and values are not
	overlooked Mask // see Overlook

	muted    bool
	pending  []pending // since the last Observe
	reported []pending // reported by the last Observe
	touched  []Slot    // since the last Sync
	syncs    uint32    // counts Syncs
	shifts   uint64    // counts the Syncs that may have moved rows
	places   []uint32  // see Places
	placed   uint64    // shifts of places plus one
	passing  bool      // an entity may have passed through an archetype since the last Sync
	dirty    []*segment
	moves    []move
	tail     []Slot
	scratch  []byte // values that pending refers to
	faded    []byte // values that reported refers to
	parked   map[Slot]*parking
	undo     []UndoRecord

	reports reports
	canary  canary
}

// New returns a table of the entities of w that have the component marker. The caller must add Listener to the world's
// listener before the first Observe; entities that exist by then are found and reported as spawned.
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
		world: w, marker: marker, filter: ecs.All(marker),
		cols:  append(append(make([]Column, 0, len(cols)+1), cols...), Column{ID: marker}),
		colOf: make(map[ecs.ID]int, len(cols)),
		slots: newSlotTable(),
		byKey: map[segmentKey]*segment{}, shapes: map[ecs.Mask]*shape{}, parked: map[Slot]*parking{},
	}
	if err := t.checkColumns(); err != nil {
		return nil, err
	}
	t.reports.changed = make([][]Slot, len(t.cols))
	t.canary.install(w)
	return t, nil
}

// checkColumns compares the description with the components registered in the world, and fills in the marker's size.
func (t *Table) checkColumns() error {
	for i := range t.cols {
		c := &t.cols[i]
		info, ok := ecs.ComponentInfo(t.world, c.ID)
		if !ok {
			return fmt.Errorf("columns: the component of column %d is not registered in this world; call ecs.TypeID on it first", i)
		}
		if _, twice := t.colOf[c.ID]; twice {
			return fmt.Errorf("columns: %v is given twice, or is also the marker; leave one out", info.Type)
		}
		size := int(info.Type.Size())
		if i == t.markerCol() {
			c.Size = size
		}
		if c.Tag {
			size, c.Size, c.Equal = 0, 0, nil
		}
		if c.Size != size {
			return fmt.Errorf("columns: column %d is %v of %d bytes, not of %d; take the size from its reflect.Type", i, info.Type, size, c.Size)
		}
		t.colOf[c.ID] = i
	}
	if t.cols[t.markerCol()].Size == 0 {
		return fmt.Errorf("columns: the marker has no bytes; rows are found by its address, give it a field")
	}
	return nil
}

func (t *Table) markerCol() int { return len(t.cols) - 1 }

// Sync updates slots and rows to the structure of the world, without comparing values. Changes are in Undo, and are
// reported by the next Observe. Call it where slots are needed between two Observes, for example after each tick for
// histories. Its changes, and the slots of removed entities, are kept until Observe, so a table needs one every few
// Syncs. Errors are those of Observe.
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

// Observe finds the changes since the last Observe, as of tick. The reports are valid until the next Observe, and empty
// after an error.
//
// Errors: ErrWorldLocked, ErrListenerLost, ErrWorldReset. After the cause of ErrListenerLost is removed, the next Observe
// examines everything and reports the missed changes.
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

// Overlook sets columns of which the next Observes accept changed values without reporting them, which costs little more
// than comparing the bytes. These changes are not reported later either.
func (t *Table) Overlook(cols Mask) { t.overlooked = cols }

// Tick returns the tick of the last Observe that succeeded.
func (t *Table) Tick() entangle.Tick { return t.tick }
