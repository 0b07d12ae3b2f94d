package session

import "time"

// pending is a client that was challenged and has not answered yet.
type pending struct {
	from     Addr
	token    tokenID
	claim    challenge
	timeout  int32
	link     link // of the slot that it gets
	deadline time.Time
}

// pendingTable holds the clients that are connecting, by address. Its size is fixed; an entry is removed when its client
// connects or its deadline has passed.
type pendingTable struct {
	byAddr map[Addr]*pending
	size   int
}

func newPendingTable(size int) pendingTable {
	return pendingTable{byAddr: make(map[Addr]*pending, size), size: size}
}

// unexpired returns the entry of an address, unless it has expired.
func (t *pendingTable) unexpired(from Addr, now time.Time) *pending {
	p := t.byAddr[from]
	if p == nil || !now.Before(p.deadline) {
		return nil
	}
	return p
}

// add adds p, replacing an older entry of the same address, and reports whether there was room.
func (t *pendingTable) add(p *pending) bool {
	if _, ok := t.byAddr[p.from]; !ok && len(t.byAddr) >= t.size {
		return false
	}
	t.byAddr[p.from] = p
	return true
}

func (t *pendingTable) remove(from Addr) { delete(t.byAddr, from) }

func (t *pendingTable) sweep(now time.Time) {
	for from, p := range t.byAddr {
		if !now.Before(p.deadline) {
			delete(t.byAddr, from)
		}
	}
}
