package session

import (
	"slices"
	"time"

	"github.com/entangle-ecs/entangle"
)

// slotTable holds the slots of a server. It finds them by address and by client.
type slotTable struct {
	slots    []slot
	free     []int32                     // free slots in descending order
	clients  int                         // number of connected clients
	leaving  int                         // number of leaving clients
	byAddr   map[Addr]int32              // connected and leaving clients
	byClient map[entangle.ClientID]int32 // connected clients
}

func newSlotTable(n int) slotTable {
	t := slotTable{
		slots: make([]slot, n), free: make([]int32, 0, n),
		byAddr: make(map[Addr]int32, n), byClient: make(map[entangle.ClientID]int32, n),
	}
	for i := n - 1; i >= 0; i-- {
		t.free = append(t.free, int32(i))
	}
	return t
}

// Clients returns the number of connected clients.
func (t *slotTable) Clients() int { return t.clients }

// Connected reports whether the slot has a connected client. It returns false for a slot out of
// range.
func (t *slotTable) Connected(slot int) bool {
	return slot >= 0 && slot < len(t.slots) && t.slots[slot].state == slotConnected
}

// Leaving reports whether the client of a slot has sent a disconnect packet and its session
// has not ended yet.
func (t *slotTable) Leaving(slot int) bool {
	return slot >= 0 && slot < len(t.slots) && t.slots[slot].state == slotLeaving
}

// Slot returns the slot of a connected client with this id.
func (t *slotTable) Slot(client entangle.ClientID) (slot int, ok bool) {
	at, ok := t.byClient[client]
	return int(at), ok
}

func (t *slotTable) hasClient(client entangle.ClientID) bool {
	_, ok := t.byClient[client]
	return ok
}

// At returns the slot of the connected or leaving client with this address.
func (t *slotTable) At(addr Addr) (slot int, ok bool) {
	at, ok := t.byAddr[addr]
	return int(at), ok
}

// assignSlot assigns the lowest free slot to a client. There must be a free slot.
func (t *slotTable) assignSlot(p *pending, now time.Time) int {
	last := len(t.free) - 1
	slot := t.free[last]
	t.free = t.free[:last]
	c := &t.slots[slot]
	c.occupy(p, now)
	t.byAddr[c.addr] = slot
	t.byClient[c.client] = slot
	t.clients++
	return int(slot)
}

// startLeaving marks a connected client as leaving.
func (t *slotTable) startLeaving(slot int, now time.Time) {
	c := &t.slots[slot]
	c.state, c.left = slotLeaving, now
	delete(t.byClient, c.client)
	t.clients--
	t.leaving++
}

// vacate removes the client of a slot, and its keys. The slot can be reused after freeSlot was
// called.
func (t *slotTable) vacate(slot int) {
	c := &t.slots[slot]
	if c.state == slotLeaving {
		t.leaving--
	} else {
		delete(t.byClient, c.client)
		t.clients--
	}
	c.state = slotLeft
	c.send, c.receive = sealer{}, sealer{}
	delete(t.byAddr, c.addr)
}

// freeSlot makes a slot available for reuse.
func (t *slotTable) freeSlot(slot int) {
	t.slots[slot].state = slotFree
	at, _ := slices.BinarySearchFunc(t.free, int32(slot), func(a, b int32) int { return int(b - a) })
	t.free = slices.Insert(t.free, at, int32(slot))
}

// longestLeaving returns the slot of the client that has been leaving for the longest time. ok is
// false if none is leaving.
func (t *slotTable) longestLeaving() (slot int, ok bool) {
	for i := 0; i < len(t.slots) && t.leaving > 0; i++ {
		if t.Leaving(i) && (!ok || t.slots[i].left.Before(t.slots[slot].left)) {
			slot, ok = i, true
		}
	}
	return slot, ok
}

func (t *slotTable) keepAliveDue(slot int, now time.Time) bool {
	c := &t.slots[slot]
	return c.state == slotConnected && now.Sub(c.lastSent) >= sendInterval
}

// appendKeepAlive appends a keep-alive of a slot to dst.
func (t *slotTable) appendKeepAlive(dst []byte, slot int, now time.Time) []byte {
	c := &t.slots[slot]
	body := keepAlive{uint32(slot), uint32(len(t.slots))}.encode(c.body[:])
	return c.seal(dst, kindKeepAlive, body, now)
}
