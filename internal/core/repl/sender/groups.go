package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// group is what all peers share of a group.
type group struct {
	members []member
	changed entangle.Tick // newest change of a value or of structure
	holders int32         // peers that were sent it and have not acknowledged its end
	open    bool

	// abandoned: it has ended here and goes on at the peers, who are not told.
	abandoned bool

	// paused: its values can't be read for the time being.
	paused bool
	// tooLarge: what is to be said of it does not fit into repl.MaxGroupBytes.
	// Nothing is sent until its structure changes again.
	tooLarge bool
}

type member struct {
	slot   repl.Slot
	number repl.Member
}

// openGroup takes a handle that has been free for long enough, or a new one.
func (w *World) openGroup() (g repl.Handle, ok bool) {
	if old, free := w.takeHandle(); free {
		g = old
	} else if len(w.groups) == repl.MaxGroups {
		return 0, false
	} else {
		g = repl.Handle(len(w.groups))
		w.groups = append(w.groups, group{})
		w.growGroups()
	}
	w.groups[g] = group{members: w.groups[g].members[:0], changed: w.tick, open: true}
	w.live++
	return g, true
}

// growGroups makes room for one more group wherever something is kept by group.
func (w *World) growGroups() {
	n := len(w.groups)
	w.moved.Grow(n)
	w.reshaped.Grow(n)
	w.bodies.grow(n)
	for _, p := range w.peers {
		p.grow(n)
	}
}

// closeGroup ends a group. Its handle is free again when no peer holds it.
func (w *World) closeGroup(g repl.Handle) {
	gr := &w.groups[g]
	gr.open = false
	gr.members = gr.members[:0]
	gr.changed = w.tick
	w.live--
	w.moved.Clear(int(g))
	w.reshaped.Set(int(g))
	if gr.holders == 0 {
		w.free.put(g, w.tick)
	}
}

// release takes one holder off a group.
func (w *World) release(g repl.Handle) {
	gr := &w.groups[g]
	gr.holders--
	if gr.holders == 0 && !gr.open {
		w.free.put(g, w.tick)
	}
}

// refuse takes note of a group that is too large to be sent.
func (w *World) refuse(g repl.Handle) {
	w.groups[g].tooLarge = true
	w.stats.TooLarge++
	if len(w.refused) < maxRefusedHeld {
		w.refused = append(w.refused, w.groups[g].members[0].slot)
	}
}

// maxRefusedHeld bounds the reports that wait for PollRefused; the counter in
// Stats goes on.
const maxRefusedHeld = 64

// PollRefused returns an entity whose group is larger than repl.MaxGroupBytes
// and is therefore not sent, once for each change of its structure.
func (w *World) PollRefused() (s repl.Slot, ok bool) {
	n := len(w.refused)
	if n == 0 {
		return repl.NoSlot, false
	}
	s = w.refused[n-1]
	w.refused = w.refused[:n-1]
	return s, true
}
