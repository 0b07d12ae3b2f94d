package columns

import "github.com/mlange-42/arche/ecs"

// Slot is the dense number of a tracked entity: small, so that data per entity can be a slice by slot. A slot is
// assigned when the entity gets the marker and released when the entity is removed; then it is reused.
type Slot uint32

// NoSlot is the zero Slot. It is never assigned.
const NoSlot Slot = 0

type slotState uint8

const (
	slotFree     slotState = iota
	slotLive               // has the marker, or had it at the last Sync
	slotPaused             // the entity is alive without the marker
	slotDead               // the entity was removed since the last Observe
	slotReported           // the entity was removed before the last Observe; not reusable yet
)

// slotInfo is the state of one slot, as of the last Sync.
type slotInfo struct {
	entity  ecs.Entity
	seg     *segment // nil unless live and placed
	row     uint32
	pending int32 // index in changeRecords.pending plus one, in reported if slotReported; 0: none
	touched bool  // in syncWork.touched
	state   slotState
}

// slotTable assigns slots and finds them by entity.
type slotTable struct {
	info    []slotInfo // by slot; the first is NoSlot's
	byID    []Slot     // by entity id
	created []uint32   // by entity id: the Sync after which it was created without the marker, plus one
	free    []Slot
	used    int
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

// assign assigns a slot to an entity that has none.
func (t *slotTable) assign(e ecs.Entity) Slot {
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

// noteCreated records that an entity without a slot was created after a Sync.
func (t *slotTable) noteCreated(e ecs.Entity, sync uint32) {
	for int(e.ID()) >= len(t.created) {
		t.created = append(t.created, 0)
	}
	t.created[e.ID()] = sync + 1
}

// isNew reports whether noteCreated was called since that Sync for the entity, or for an earlier one with the same
// id.
func (t *slotTable) isNew(e ecs.Entity, sync uint32) bool {
	return int(e.ID()) < len(t.created) && t.created[e.ID()] == sync+1
}

// unlink ends the use of a slot: its entity is not found any more, its number is not free yet.
func (t *slotTable) unlink(s Slot) {
	info := &t.info[s]
	if id := info.entity.ID(); t.byID[id] == s {
		t.byID[id] = NoSlot
	}
	info.state, info.seg = slotDead, nil
	t.used--
}

// release frees the number of an unlinked slot.
func (t *slotTable) release(s Slot) {
	t.info[s] = slotInfo{}
	t.free = append(t.free, s)
}
