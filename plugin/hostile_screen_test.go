package plugin_test

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// runner is a position that is the number of the tick.
type runner struct{ Tick float32 }

// galleryProtocol is arenaProtocol with lag compensation.
func galleryProtocol() *protocol.Protocol {
	p := arenaProtocol()
	protocol.Component[components.Interpolated](p)
	protocol.Component[runner](p).Interpolate(protocol.Linear[runner]).Rewind()
	return p
}

// gallery is a server with one target, and a raider that shoots at it in each tick.
type gallery struct {
	*game
	*intruder
	mine, target ecs.Entity
	shots        []galleryShot
	also         func(rewind *plugin.Rewind[runner]) // in each tick; nil: nothing
}

// galleryShot is what a shot finds.
type galleryShot struct {
	age float64 // since when the target was where the view has it, in ticks
	plugin.Rewound
}

// galleryReach is ServerConfig.MaxRewind in ticks.
const galleryReach = 12

func newGallery(t *testing.T) *gallery {
	a := &gallery{}
	a.game = newGameWith(t, func(c *plugin.ServerConfig) {
		c.Protocol, c.MaxRewind = galleryProtocol(), galleryReach*time.Second/60
	}, func(s *plugin.Server) {
		s.AddSystem(plugin.FixedMain, plugin.Func(a.play))
	})
	owned := generic.NewMap4[thrust, glance, components.ControlledBy, components.Replicate](a.world)
	a.mine = owned.NewWith(&thrust{}, &glance{}, &components.ControlledBy{Client: raider}, &components.Replicate{})
	things := generic.NewMap2[runner, components.Replicate](a.world)
	a.target = things.NewWith(&runner{}, &components.Replicate{Interpolate: components.Everyone})
	a.game.run(2)
	a.intruder = a.infiltrate(raider)
	hello := binary.LittleEndian.AppendUint64([]byte{1}, galleryProtocol().Hash())
	a.say(peer.Control, binary.LittleEndian.AppendUint64(hello, 0))
	a.say(peer.FirstMessages, chatBody(0, nil, 0))
	return a
}

func (a *gallery) play(w *ecs.World) func() {
	rewind, places, when := plugin.NewRewind[runner](w), generic.NewMap1[runner](w), ecs.GetResource[components.Time](w)
	return func() {
		if a.also != nil {
			a.also(&rewind)
		}
		if !w.Alive(a.target) {
			return
		}
		places.Get(a.target).Tick = float32(when.Tick)
		view := rewind.View(a.mine)
		if i, ok := view.Find(a.target); ok {
			if _, at, ok := view.At(i); ok {
				a.shots = append(a.shots, galleryShot{float64(when.Tick) - float64(at.Tick), view.Rewound(i)})
			}
		}
	}
}

// shoot sends an input for the next tick, in a packet that claims a tick, with a screen so many ticks before that.
func (a *gallery) shoot(header entangle.Tick, back uint64) {
	var w bits.Writer
	l := forged{typ: thrustType, of: wireName(0), distance: int64((a.server.Tick() + 1).Sub(header)), value: 1}
	w.Uvarint(1)
	w.Varint(l.distance)
	w.Varint(int64(back))
	w.Bits(0, 8)
	w.Uvarint(0)  // no send intervals
	w.Bool(false) // no late frames
	appendLanes(&w, []forged{l})
	a.id++
	b := packet.AppendHeader(nil, packet.Header{Kind: packet.Data, ID: a.id, Tick: header})
	a.send(append(append(b, byte(peer.Inputs)|0x80), w.Finish()...))
}

// A client claims any times of its screen, or leaves out acknowledgements for as long as it likes. No view shows a
// target where it was longer ago than ServerConfig.MaxRewind and one send interval, and what it shows of an honest
// claim is right again soon after a false one.
//
// Proves: L2
func TestNoScreenLeadsFartherBackThanItMay(t *testing.T) {
	honest := func(a *gallery, _ int) { a.shoot(a.server.Tick(), 6) }
	for name, c := range map[string]struct {
		shoot func(a *gallery, n int)
		acks  func(n int) bool
	}{
		"all acknowledged":          {shoot: honest},
		"acknowledgements left out": {shoot: honest, acks: func(n int) bool { return n%90 < 20 }},
		"a screen of the future, once": {shoot: func(a *gallery, n int) {
			if n == 60 {
				a.shoot(a.server.Tick()+3900, 0)
			} else {
				honest(a, n)
			}
		}},
		"screens of the future and the past": {shoot: func(a *gallery, n int) {
			a.shoot(a.server.Tick()+entangle.Tick(n%2*50), uint64(n%3*40))
		}},
		"screens from before the first tick": {shoot: func(a *gallery, _ int) { a.shoot(a.server.Tick(), 8000) }},
		"long ago, and acknowledgements left out": {
			shoot: func(a *gallery, _ int) { a.shoot(a.server.Tick(), 100) },
			acks:  func(n int) bool { return n%90 < 20 },
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := newGallery(t)
			for n := range 180 {
				if c.acks == nil || c.acks(n) {
					a.acknowledge()
				}
				c.shoot(a, n)
				a.game.run(1)
				a.sess.Advance(a.now)
			}
			require.True(t, a.here(raider))
			require.Greater(t, len(a.shots), 100)
			for _, s := range a.shots {
				require.LessOrEqual(t, s.age, float64(galleryReach+1), "%+v", s)
				require.GreaterOrEqual(t, s.age, 1.0, "%+v", s)
				require.LessOrEqual(t, s.By, float64(galleryReach), "%+v", s)
				require.GreaterOrEqual(t, s.By, 1.0, "%+v", s)
			}
			if last := a.shots[len(a.shots)-1]; c.acks == nil && !last.Clamped {
				assert.InDelta(t, last.By, last.age, 1e-3, "it is where it was at the time that is claimed")
			}
		})
	}
}
