package netsim_test

import (
	"encoding/binary"
	"reflect"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// arenaReceived records which state of its predicted bodies a client has received from the server.
type arenaReceived struct {
	guest *arenaGuest
	first map[int32]entangle.Tick // the tick of the first state received of each body
	last  map[int32]entangle.Tick // the tick of the newest state received of each body
	there map[int32]bool          // the bodies of which no despawn has been received

	news      bool          // in this frame a body appeared or disappeared, or state newer than the confirmed tick arrived
	overtaken entangle.Tick // until this tick is confirmed, the effects of state older than the newest remain
}

func newArenaReceived(g *arenaGuest) arenaReceived {
	return arenaReceived{
		guest: g, first: map[int32]entangle.Tick{},
		last: map[int32]entangle.Tick{}, there: map[int32]bool{},
	}
}

// listen records the state that the client has received in a frame.
func (h *arenaReceived) listen(confirmed entangle.Tick) {
	was := h.there
	h.there, h.news = map[int32]bool{}, false
	m := apps.Of(h.guest.World()).ClientMirror()
	at := map[uint64]entangle.Tick{}
	for _, g := range m.Groups {
		for _, id := range g.Members {
			at[id] = g.Tick
		}
	}
	for i := range m.Entities {
		e := &m.Entities[i]
		if id, ok := idOf(m, e); ok {
			h.recordBody(id, max(e.Tick, at[e.ID]), confirmed)
		}
	}
	for id := range was {
		h.news = h.news || !h.there[id]
	}
}

// idOf returns a body's id on the server. A body that the client has predicted to be despawned has
// no id in the world.
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

// recordBody records the tick of the newest state of a body.
func (h *arenaReceived) recordBody(id int32, tick, confirmed entangle.Tick) {
	h.there[id] = true
	last, known := h.last[id]
	switch {
	case !known:
		h.first[id], h.news = tick, true
	case last == tick:
		return
	case confirmed.Before(last) && h.overtaken.Before(last):
		h.overtaken = last
	}
	h.last[id] = tick
	h.news = h.news || confirmed.Before(tick)
}

// behind reports whether the client has not received the despawn of a body, although it has
// received state of other bodies for a later tick. References to that body are still valid on the
// client, but empty in the received state.
func (h *arenaReceived) behind() bool {
	states, newest := h.guest.arena.truth.states, entangle.Tick(0)
	for id := range h.there {
		newest = max(newest, h.last[id])
	}
	for id := range h.there {
		if states[newest].findBody(id) == nil {
			return true
		}
	}
	return false
}

func (h *arenaReceived) predicts(b *arenaBody) bool {
	return h.guest.arena.predicts(h.guest.ID(), b.Team)
}

// confirmedAt returns the server's arena at the confirmed tick as the client has it: normally the
// confirmed state. If the client has received state of a body for a later tick, it is the predicted
// state of that body, because older confirmed state is not kept. vague is true if that predicted
// state is not known.
func (h *arenaReceived) confirmedAt(tick entangle.Tick, believed arenaState) (s arenaState, vague bool) {
	for _, b := range h.guest.arena.truth.states[tick] {
		if first, known := h.first[b.ID]; !known || tick.Before(first) || !h.predicts(&b) {
			continue
		}
		if tick.Before(h.last[b.ID]) {
			if was := believed.findBody(b.ID); was != nil {
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

// confirm merges the server's state of a tick after the confirmed tick, as far as the client has
// received it.
func (h *arenaReceived) confirm(s arenaState, tick, confirmed entangle.Tick) arenaState {
	states := h.guest.arena.truth.states
	if states[tick] == nil {
		return s // the server has not run this tick
	}
	for id, last := range h.last {
		b := states[tick].findBody(id)
		switch {
		case h.there[id] && last == tick && b != nil && h.predicts(b):
			s = s.with(*b)
		case !h.there[id] && b == nil && states[tick-1].findBody(id) != nil:
			s = s.without(id)
		}
	}
	return s.letGo()
}
