package netsim_test

import (
	"encoding/binary"
	"reflect"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// arenaHearing is what a client was told of the bodies that it predicts.
type arenaHearing struct {
	guest *arenaGuest
	first map[int32]entangle.Tick // of the first word on each body
	last  map[int32]entangle.Tick // of the newest
	there map[int32]bool          // it has not been told that it is gone

	news      bool          // in this frame one came, went, or was told of ahead of what has settled
	overtaken entangle.Tick // until this has settled, what was said before the newest words still acts
}

func newArenaHearing(g *arenaGuest) arenaHearing {
	return arenaHearing{
		guest: g, first: map[int32]entangle.Tick{},
		last: map[int32]entangle.Tick{}, there: map[int32]bool{},
	}
}

// listen takes in what the client has been told of in a frame.
func (h *arenaHearing) listen(settled entangle.Tick) {
	was := h.there
	h.there, h.news = map[int32]bool{}, false
	m := h.guest.Client().Mirror()
	at := map[uint64]entangle.Tick{}
	for _, g := range m.Groups {
		for _, id := range g.Members {
			at[id] = g.Tick
		}
	}
	for i := range m.Entities {
		e := &m.Entities[i]
		if id, ok := idOf(m, e); ok {
			h.hear(id, max(e.Tick, at[e.ID]), settled)
		}
	}
	for id := range was {
		h.news = h.news || !h.there[id]
	}
}

// idOf returns the id of a body as the server says it: one that is despawned ahead of the
// server has none in the world.
func idOf(m *inspect.Mirror, e *inspect.Mirrored) (id int32, ok bool) {
	for _, v := range e.Values {
		info := m.Components[v.Component]
		if info.Type != reflect.TypeFor[components.SID]() {
			continue
		}
		var r bits.Reader
		r.Reset(v.Wire)
		value := make([]byte, info.Plan.Size())
		err := info.Plan.Decode(&r, value, nil)
		return int32(binary.NativeEndian.Uint32(value)), err == nil
	}
	return 0, false
}

// hear takes in the newest word on a body.
func (h *arenaHearing) hear(id int32, tick, settled entangle.Tick) {
	h.there[id] = true
	last, known := h.last[id]
	switch {
	case !known:
		h.first[id], h.news = tick, true
	case last == tick:
		return
	case settled.Before(last) && h.overtaken.Before(last):
		h.overtaken = last
	}
	h.last[id] = tick
	h.news = h.news || settled.Before(tick)
}

// behind reports whether a body is gone of which the client was not told, though it was told
// of others as of then: what refers to it does so here, and to nobody in those.
func (h *arenaHearing) behind() bool {
	states, newest := h.guest.arena.truth.states, entangle.Tick(0)
	for id := range h.there {
		newest = max(newest, h.last[id])
	}
	for id := range h.there {
		if states[newest].find(id) == nil {
			return true
		}
	}
	return false
}

func (h *arenaHearing) predicts(b *arenaBody) bool {
	return h.guest.arena.predicts(h.guest.ID(), b.Team)
}

// settledAt returns what the client holds of the server's arena as it was at the settled tick:
// what the server said; and of a body of which it was told as of a later tick, what it
// believed, for a word that is overtaken is not kept. It is vague if that is not known.
func (h *arenaHearing) settledAt(tick entangle.Tick, believed arenaState) (s arenaState, vague bool) {
	for _, b := range h.guest.arena.truth.states[tick] {
		if first, known := h.first[b.ID]; !known || tick.Before(first) || !h.predicts(&b) {
			continue
		}
		if tick.Before(h.last[b.ID]) {
			if was := believed.find(b.ID); was != nil {
				if *was != b {
					h.guest.oracle.sums.later++
				}
				b = *was
			} else {
				vague = true
			}
		}
		s = append(s, b)
	}
	return s.letGo(), vague
}

// confirm puts in what the server has said of a tick that has not settled.
func (h *arenaHearing) confirm(s arenaState, tick, settled entangle.Tick) arenaState {
	states := h.guest.arena.truth.states
	if states[tick] == nil {
		return s // the server has not run it
	}
	for id, last := range h.last {
		b := states[tick].find(id)
		switch {
		case h.there[id] && last == tick && b != nil && h.predicts(b):
			s = s.with(*b)
		case !h.there[id] && b == nil && states[tick-1].find(id) != nil:
			s = s.without(id)
		}
	}
	return s.letGo()
}
