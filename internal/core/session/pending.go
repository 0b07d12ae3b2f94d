package session

import "time"

// pending is a client that was challenged and has not answered yet.
type pending struct {
	from     Addr
	token    tokenID
	claim    challenge
	timeout  int32
	link     link // the link of the slot that the client will get
	deadline time.Time
}

// pendingTable holds the connecting clients by address. Its size is fixed. An entry is removed when
// its client has connected or its deadline has passed.
type pendingTable struct {
	byAddr map[Addr]*pending
	size   int
}

func newPendingTable(size int) pendingTable {
	return pendingTable{byAddr: make(map[Addr]*pending, size), size: size}
}

// unexpired returns the entry of an address, or nil if there is none or it has expired.
func (t *pendingTable) unexpired(from Addr, now time.Time) *pending {
	p := t.byAddr[from]
	if p == nil || !now.Before(p.deadline) {
		return nil
	}
	return p
}

// add adds p, in place of an older entry of the same address. It returns false if there is no room.
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
