package channel

import (
	"slices"
	"time"
)

// heldMessages holds the messages of all channels that cannot be delivered yet.
type heldMessages struct {
	reliable   int // cost of the messages of reliable channels, at most ReliableWindow
	unreliable int // cost of the messages of unreliable channels, at most UnreliableWindow
	byAge      ages
	free       []*incoming
	pool       *pool
}

// keptIncoming is the most incoming values that are kept for reuse.
const keptIncoming = 64

// ages lists the incomplete unreliable messages of all channels by the arrival of their first
// fragment, so that eviction and expiry look only at the messages that they drop.
type ages struct{ oldest, newest *age }

func (a *ages) add(one *age) {
	one.older, a.newest = a.newest, one
	if one.older != nil {
		one.older.newer = one
	} else {
		a.oldest = one
	}
}

func (a *ages) remove(one *age) {
	if one.older != nil {
		one.older.newer = one.newer
	} else {
		a.oldest = one.newer
	}
	if one.newer != nil {
		one.newer.older = one.older
	} else {
		a.newest = one.older
	}
	*one = age{}
}

// hold inserts a message without parts into ch.held, at index place.
func (h *heldMessages) hold(ch *inChannel, place int, id uint16, final uint8, at time.Duration) *incoming {
	var p *incoming
	if last := len(h.free) - 1; last >= 0 {
		p, h.free = h.free[last], h.free[:last]
	} else {
		p = new(incoming)
	}
	p.channel, p.id, p.final, p.cost = ch, id, final, messageOverhead
	p.parts = p.first[:0]
	ch.held = slices.Insert(ch.held, place, p)
	*h.costOf(ch.mode) += messageOverhead
	if ch.mode.Reliable() {
		return p
	}
	if p.age == nil {
		p.age = new(age)
	}
	p.age.of, p.age.since = p, at
	h.byAge.add(p.age)
	return p
}

// addPart copies one part into a held message, at index place of its parts.
func (h *heldMessages) addPart(p *incoming, place int, index uint8, body []byte) {
	p.parts = slices.Insert(p.parts, place, part{index: index, body: h.pool.copyOf(body)})
	more := partCost(p.final, len(body))
	p.cost += int32(more)
	*h.costOf(p.channel.mode) += more
}

// removeAt removes the message at index place of ch.held, because it is delivered or dropped.
func (h *heldMessages) removeAt(ch *inChannel, place int) *incoming {
	p := ch.held[place]
	ch.held = slices.Delete(ch.held, place, place+1)
	h.uncount(p)
	return p
}

// uncount subtracts the cost of a message that is removed from its channel.
func (h *heldMessages) uncount(p *incoming) {
	*h.costOf(p.channel.mode) -= int(p.cost)
	if !p.channel.mode.Reliable() {
		h.byAge.remove(p.age)
	}
}

// costOf returns the counter of the memory that messages of a mode use.
func (h *heldMessages) costOf(mode Mode) *int {
	if mode.Reliable() {
		return &h.reliable
	}
	return &h.unreliable
}

// discard drops the message with an id, if it is held.
func (h *heldMessages) discard(ch *inChannel, id uint16) {
	if place, ok := ch.findHeld(id); ok {
		h.giveBack(h.removeAt(ch, place))
	}
}

// dropOldest drops the first message of byAge.
func (h *heldMessages) dropOldest() {
	p := h.byAge.oldest.of
	h.discard(p.channel, p.id)
}

// giveBack frees the memory of a message that is not held any more.
func (h *heldMessages) giveBack(p *incoming) {
	for i := range p.parts {
		h.pool.giveBack(p.parts[i].body)
	}
	*p = incoming{age: p.age}
	if len(h.free) < keptIncoming {
		h.free = append(h.free, p)
	}
}

// makeRoom reports whether a channel may hold this many more bytes. For an unreliable channel it
// drops the oldest incomplete messages until it may.
func (r *receiver) makeRoom(ch *inChannel, more int) bool {
	if ch.mode.Reliable() {
		return r.held.reliable+more <= ReliableWindow
	}
	for r.held.unreliable+more > UnreliableWindow {
		r.held.dropOldest()
		r.stats.Evicted++
	}
	return true
}

// Expire drops unreliable messages that are still incomplete when ReassemblyTimeout has passed
// since their first fragment arrived. HandleFrames calls it; call it once per tick too, in case the
// peer stops sending.
func (r *receiver) Expire(now time.Time) {
	if r.held.unreliable == 0 {
		return
	}
	before := r.clock.since(now) - ReassemblyTimeout
	for a := r.held.byAge.oldest; a != nil && a.since <= before; a = r.held.byAge.oldest {
		r.held.dropOldest()
		r.stats.Expired++
	}
}
