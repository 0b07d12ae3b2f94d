package columns

import "github.com/mlange-42/arche/ecs"

// Slot is the dense number of a tracked entity: small, so that whatever is kept
// per entity can be a slice by slot. A slot is given out when the entity gets the
// marker and released when the entity dies; it is used again for another one.
type Slot uint32

// NoSlot is the zero Slot. It is never given out.
const NoSlot Slot = 0

type slotState uint8

const (
	slotFree   slotState = iota
	slotLive             // has the marker, or had it at the last Sync
	slotPaused           // the entity lives on without the marker
	slotDead             // ended since the last Observe
	slotTold             // ended before the last Observe, not yet given out again
)

// slotInfo is what the table knows of one slot, as of the last Sync.
type slotInfo struct {
	entity  ecs.Entity
	seg     *segment // nil unless live and placed
	row     uint32
	pending int32 // index in Table.pending plus one, in Table.told if slotTold; 0: none
	touched bool  // in Table.touched
	state   slotState
}

// slotTable gives out slots and finds them by entity.
type slotTable struct {
	info []slotInfo // by slot; the first is NoSlot's
	byID []Slot     // by entity id
	born []uint32   // by entity id: the Sync after which it was created without the marker, plus one
	free []Slot
	used int
}

func newSlotTable() slotTable { return slotTable{info: make([]slotInfo, 1)} }

// find returns the slot of exactly this entity, generation included.
func (t *slotTable) find(e ecs.Entity) (Slot, bool) {
	id := e.ID()
	if int(id) >= len(t.byID) {
		return NoSlot, false
	}
	s := t.byID[id]
	return s, s != NoSlot && t.info[s].entity == e
}

// take gives out a slot for an entity that has none.
func (t *slotTable) take(e ecs.Entity) Slot {
	var s Slot
	if n := len(t.free); n > 0 {
		s, t.free = t.free[n-1], t.free[:n-1]
	} else {
		s = Slot(len(t.info))
		t.info = append(t.info, slotInfo{})
	}
	t.info[s] = slotInfo{entity: e, state: slotLive}
	for int(e.ID()) >= len(t.byID) {
		t.byID = append(t.byID, NoSlot)
	}
	t.byID[e.ID()] = s
	t.used++
	return s
}

// bear remembers that an entity without a slot was created after a Sync.
func (t *slotTable) bear(e ecs.Entity, sync uint32) {
	for int(e.ID()) >= len(t.born) {
		t.born = append(t.born, 0)
	}
	t.born[e.ID()] = sync + 1
}

// isNew reports whether bear was called for the entity since that Sync, or for
// one of the same id before it.
func (t *slotTable) isNew(e ecs.Entity, sync uint32) bool {
	return int(e.ID()) < len(t.born) && t.born[e.ID()] == sync+1
}

// bury ends the life of a slot: its entity is found no more, its number is not
// yet free.
func (t *slotTable) bury(s Slot) {
	info := &t.info[s]
	if id := info.entity.ID(); t.byID[id] == s {
		t.byID[id] = NoSlot
	}
	info.state, info.seg = slotDead, nil
	t.used--
}

// release makes the number of a buried slot free.
func (t *slotTable) release(s Slot) {
	t.info[s] = slotInfo{}
	t.free = append(t.free, s)
}
