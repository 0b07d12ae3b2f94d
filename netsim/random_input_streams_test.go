package netsim_test

import (
	"math"
	"math/rand/v2"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// hand is the input of random worlds.
type hand struct {
	// Held is held until another value is written. It identifies its writer, see wroteBy, and each
	// value is written once.
	Held uint32
	// Press is an event. No two inputs have the same value.
	Press uint32 `net:"event"`
	Aim   ecs.Entity
	// Tilt is computed from Held, and is often beyond its range.
	Tilt float32 `net:"range=-1..1,step=0.01"`
}

func heldBy(client entangle.ClientID, n uint32) uint32 { return uint32(client)<<24 | n }
func wroteBy(held uint32) entangle.ClientID            { return entangle.ClientID(held >> 24) }
func tiltOf(held uint32) float32                       { return float32(held%300)/100 - 1.5 }

// hands is a system in FixedInput that writes a player's random inputs.
type hands struct {
	t      require.TestingT
	judge  *inputJudge
	client entangle.ClientID
	rng    *rand.Rand
	delay  func() int
	origin func(local ecs.Entity) ecs.Entity // returns the zero entity if there is none
	made   func(e ecs.Entity, press uint32)  // is called with an input that fires a salvo; nil on a host
	mine   func(e ecs.Entity) bool           // reports whether an entity marked Controlled belongs to the player

	world    *ecs.World
	time     *components.Time
	inputs   plugin.Inputs[hand]
	hand, my ecs.ID
	streams  map[ecs.Entity]*handStream
	last     entangle.Tick // in which inputs were written
	n        uint32
}

func (h *hands) Finalize(*ecs.World) {}

func (h *hands) Initialize(w *ecs.World) {
	h.world, h.time, h.inputs = w, ecs.GetResource[components.Time](w), plugin.NewInputs[hand](w)
	h.hand, h.my = ecs.ComponentID[hand](w), ecs.ComponentID[components.Controlled](w)
	h.streams, h.last = map[ecs.Entity]*handStream{}, h.time.Tick
}

// Update writes the inputs of a tick.
func (h *hands) Update(*ecs.World) {
	if h.time.Tick != h.last+1 {
		for _, stream := range h.streams {
			stream.jumped = true
		}
	}
	h.last = h.time.Tick
	held := map[ecs.Entity]bool{}
	for q := h.world.Query(ecs.All(h.hand, h.my)); q.Next(); {
		if !h.mine(q.Entity()) {
			continue
		}
		held[q.Entity()] = true
		h.writeInput(q.Entity(), (*hand)(q.Get(h.hand)))
	}
	for e := range h.streams {
		if !held[e] {
			delete(h.streams, e)
		}
	}
}

// writeInput writes one input, and its expected effect into the plain model.
func (h *hands) writeInput(e ecs.Entity, at *hand) {
	stream := h.streams[e]
	if stream == nil {
		stream = newHandStream()
		h.streams[e] = stream
		h.judge.addStream(h.client, h.origin(e), stream)
	} else if at.Held != stream.found || at.Press != 0 {
		require.Failf(h.t, "FixedInput does not find what was written last", "client %d at tick %d found %+v, and wrote %#x last", h.client, h.last, *at, stream.found)
	}
	if h.rng.IntN(3) == 0 {
		h.n++
		held := heldBy(h.client, h.n)
		*at = hand{Held: held, Aim: h.aim(), Tilt: tiltOf(held)}
	}
	if h.rng.IntN(6) == 0 {
		h.n++
		for h.judge.shots.still && (firesSalvo(heldBy(h.client, h.n)) || firesTracer(heldBy(h.client, h.n))) {
			h.n++
		}
		at.Press = heldBy(h.client, h.n)
	}
	if h.rng.IntN(30) == 0 {
		h.inputs.None(e)
		stream.writeInput(h.last+entangle.Tick(h.delay()), wrote{none: true})
		return
	}
	tick := h.last + entangle.Tick(h.delay())
	stream.writeInput(tick, wrote{hand: *at, aim: h.origin(at.Aim)})
	if h.made != nil && firesSalvo(at.Press) && stream.acts[tick].Press == at.Press {
		h.made(e, at.Press)
	}
}

// aim returns an entity of this world, or none.
func (h *hands) aim() (at ecs.Entity) {
	for q := h.world.Query(ecs.All(h.hand)); q.Next(); {
		if h.rng.IntN(3) == 0 {
			at = q.Entity()
		}
	}
	return at
}

// wrote is one input as a player wrote it.
type wrote struct {
	hand
	aim  ecs.Entity // the server's entity
	none bool
}

// bare returns the input without its event.
func (w wrote) bare() wrote {
	w.Press = 0
	return w
}

// handStream is a plain model of an input stream: the inputs that a player wrote for one entity
// during one ownership, by the tick in which they act.
type handStream struct {
	acts  map[entangle.Tick]wrote
	held  wrote  // the last input, without its event
	found uint32 // the last Held that was not zero
	next  entangle.Tick
	begun bool
	press uint32 // the event of an input that had no tick

	// After a jump of the clock only the set of written inputs is known, not their ticks.
	jumped bool
	all    map[uint32]wrote // by Held
	events map[uint32]bool
}

func newHandStream() *handStream {
	return &handStream{acts: map[entangle.Tick]wrote{}, all: map[uint32]wrote{0: {}}, events: map[uint32]bool{0: true}}
}

// writeInput adds the input that is to act in a tick. If the delay has grown, the ticks between repeat
// the held input. If it has shrunk and the tick has an input, the event acts with the next input
// that has a tick, or takes an additional tick.
func (l *handStream) writeInput(tick entangle.Tick, w wrote) {
	l.events[w.Press] = true
	if !w.none {
		l.all[w.Held] = w.bare()
	}
	switch full := l.begun && tick.Before(l.next); {
	case full && w.Press != 0 && l.press != 0:
		l.put(w)
	case full && w.Press != 0:
		l.press = w.Press
	case !full:
		for ; l.begun && l.next != tick; l.put(l.held) {
		}
		l.begun, l.next = true, tick
		l.put(w)
	}
	l.held = w.bare()
	if !w.none {
		l.found = w.Held
	}
}

// put makes an input act in the next tick. If an event waits, it replaces the input's own.
func (l *handStream) put(w wrote) {
	if l.press != 0 {
		own := w.Press
		if w.none {
			w = wrote{}
		}
		w.Press, l.press = l.press, own
	}
	l.acts[l.next] = w
	l.next++
}

// hasInput reports whether an input may act in a tick, as far as is known.
func (l *handStream) hasInput(tick entangle.Tick, got hand) bool {
	w, ok := l.acts[tick]
	if !l.jumped {
		return ok && w.is(got)
	}
	w, ok = l.all[got.Held]
	w.Press = got.Press
	return ok && l.events[got.Press] && w.is(got)
}

// is reports whether an input that arrived is this one. Its reference leads to the server's entity,
// or to none, because any reference may have become empty in flight.
func (w wrote) is(got hand) bool {
	off := math.Abs(float64(min(max(w.Tilt, -1), 1) - got.Tilt))
	return !w.none && w.Held == got.Held && w.Press == got.Press && (got.Aim.IsZero() || w.aim == got.Aim) && off < 0.006
}
