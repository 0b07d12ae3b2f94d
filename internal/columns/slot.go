package columns

import "github.com/mlange-42/arche/ecs"

// Slot is the number of a tracked entity. Slots are small numbers, so data for each entity can be
// kept in a slice that is indexed by slot. A slot is assigned when the entity gets the marker, and
// can be reused after the entity was removed.
type Slot uint32

// NoSlot is the zero Slot. It is never assigned.
const NoSlot Slot = 0

type slotState uint8

const (
	slotFree     slotState = iota
	slotLive               // the entity has the marker, or had it at the last Sync
	slotPaused             // the entity is alive without the marker
	slotDead               // the entity was removed since the last Observe
	slotReported           // the entity was removed before the last Observe; the slot cannot be reused yet
)

// slotInfo is the state of one slot, as of the last Sync.
type slotInfo struct {
	entity  ecs.Entity
	seg     *segment // nil unless the slot is live and has a row
	row     uint32
	pending int32 // index plus one in changeRecords.pending, or in reported if slotReported; 0 without a record
	touched bool  // in syncWork.touched
	state   slotState
}

// slotTable assigns slots and finds them by entity.
type slotTable struct {
	info    []slotInfo // by slot; the first is NoSlot's
	byID    []Slot     // by entity id
	created []uint32   // by entity id: number plus one of the Sync after which an entity was created without the marker
	free    []Slot
	used    int
}

func newSlotTable() slotTable { return slotTable{info: make([]slotInfo, 1)} }

// find returns the slot of an entity. Its generation must match too.
func (t *slotTable) find(e ecs.Entity) (Slot, bool) {
	if id := e.ID(); int(id) < len(t.byID) {
		if s := t.byID[id]; s != NoSlot && t.info[s].entity == e {
			return s, true
		}
	}
	return NoSlot, false
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

// noteCreated records that an entity without the marker was created after a Sync.
func (t *slotTable) noteCreated(e ecs.Entity, sync uint32) {
	for int(e.ID()) >= len(t.created) {
		t.created = append(t.created, 0)
	}
	t.created[e.ID()] = sync + 1
}

// isNew reports whether noteCreated was called for this Sync and the entity, or for this Sync and
// an earlier entity with the same id.
func (t *slotTable) isNew(e ecs.Entity, sync uint32) bool {
	return int(e.ID()) < len(t.created) && t.created[e.ID()] == sync+1
}

// unlink ends the use of a slot: find does not return it any more, but it cannot be reused yet.
func (t *slotTable) unlink(s Slot) {
	info := &t.info[s]
	if id := info.entity.ID(); t.byID[id] == s {
		t.byID[id] = NoSlot
	}
	info.state, info.seg = slotDead, nil
	t.used--
}

// release makes an unlinked slot available for reuse.
func (t *slotTable) release(s Slot) {
	t.info[s] = slotInfo{}
	t.free = append(t.free, s)
}
