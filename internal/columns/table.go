package columns

import (
	"fmt"

	"github.com/entangle-ecs/entangle"
	"github.com/mlange-42/arche/ecs"
)

// MaxColumns is the largest number of columns of one table. Arche v0.15.3 cannot
// create an archetype in a world with more than 240 component types.
const MaxColumns = 240

// Column describes one component that a table follows.
type Column struct {
	ID   ecs.ID
	Size int // bytes of one value, as reflect.Type.Size says; 0: a tag

	// Tag treats a component as one that has no bytes, whatever its Size: only its
	// being there is followed.
	Tag bool

	// Equal decides whether two values that differ in bytes differ at all, for
	// instance by comparing what would be sent. It must be an equivalence: each
	// value is compared with the one before it, so what is near but not equal
	// would creep away unreported. It must not keep its arguments and must not
	// change the world. Nil: byte equality is value equality.
	Equal func(before, after []byte) bool
}

// Table follows the entities of one world that have a marker component. See the
// package documentation for what it promises.
type Table struct {
	world  *ecs.World
	marker ecs.ID
	filter ecs.Mask // of the marker
	cols   []Column // the marker's own is the last
	colOf  map[ecs.ID]int
	tick   entangle.Tick

	slots    slotTable
	segments []*segment
	outlines []outline // parallel to segments
	byKey    map[segmentKey]*segment
	shapes   map[ecs.Mask]*shape
	lastSeg  *segment

	formsOnly bool // structure is followed and values are not
	unheard   Mask // see Overlook

	muted   bool
	pending []pending // since the last Observe
	told    []pending // those that the last Observe reported
	touched []Slot    // since the last Sync
	syncs   uint32    // counts Syncs
	shifts  uint64    // counts those that may have moved rows
	places  []uint32  // see Places
	placed  uint64    // shifts of places plus one
	passing bool      // an entity may have passed through an archetype since the last Sync
	dirty   []*segment
	moves   []move
	tail    []Slot
	scratch []byte // values that pending refers to
	faded   []byte // those that told refers to
	parked  map[Slot]*parking
	undo    []UndoRecord

	reports reports
	canary  canary
}

// New returns a table of the entities of w that have the component marker. The
// caller adds Listener to the world's listener before the first Observe;
// entities that exist by then are found and reported as spawned.
//
// The marker needs at least one byte, and must not be among cols. Errors name the
// column at fault.
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

// checkColumns compares the description with what the world has registered, and
// fills in the marker's size.
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

// Sync brings slots and rows up to date with the structure of the world and
// compares no values. What it finds is in Undo, and is reported by the next
// Observe. Call it where slots are needed between two Observes, for instance after
// each tick for histories. What it found, and the slots of entities that were
// removed, are kept until Observe, so a table needs one every few Syncs. Errors are
// those of Observe.
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

// Observe finds out what changed since the last Observe, as of tick. The reports
// are valid until the next Observe, and empty after an error.
//
// Errors: ErrWorldLocked, ErrListenerLost, ErrWorldReset. After ErrListenerLost
// has been mended, the next Observe looks at everything anew and reports what was
// missed.
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

// Overlook says of which columns the next Observes are to take over values that changed
// without reporting them, which costs little more than to compare the bytes. What changed
// by then is not reported later either.
func (t *Table) Overlook(cols Mask) { t.unheard = cols }

// Tick returns the tick of the last Observe that succeeded.
func (t *Table) Tick() entangle.Tick { return t.tick }
