package netsim_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

type (
	// explosion is delivered when it is shown, and its twin explosionSent when it arrives. Both are sent in the same tick
	// on the same channel, so that they are in the same packets.
	explosion struct {
		N  uint32
		Of ecs.Entity
	}
	explosionSent struct{ N uint32 }

	bombNumber struct{ N uint32 }
)

func explosionProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "explosions"})
	protocol.Component[smoothPlace](p).Interpolate(protocol.Linear[smoothPlace])
	protocol.Component[smoothStamp](p)
	protocol.Component[bombNumber](p)
	protocol.Component[components.Interpolated](p)
	protocol.Message[explosion](p).Mode(protocol.UnorderedReliable).WhenShown()
	protocol.Message[explosionSent](p).Mode(protocol.UnorderedReliable)
	return p
}

// bombGame has one entity that always moves, by 1 in each tick. In about every seventh tick a crater spawns, despawns
// or is in the message of an explosion, or an explosion has no entity.
type bombGame struct {
	rng     *rand.Rand
	every   uint16
	n       uint32
	ticks   map[uint32]entangle.Tick // by number of an explosion
	spawned map[uint32]bool          // the explosions in the tick of which their crater spawned
	ended   map[uint32]entangle.Tick // the craters that despawned, by number, with the tick
}

func (g *bombGame) start(w *ecs.World) func() {
	g.ticks, g.spawned, g.ended = map[uint32]entangle.Tick{}, map[uint32]bool{}, map[uint32]entangle.Tick{}
	movers := generic.NewMap3[smoothPlace, smoothStamp, components.Replicate](w)
	mover := movers.NewWith(&smoothPlace{}, &smoothStamp{}, &components.Replicate{Interpolate: components.Everyone})
	bombs := generic.NewMap2[bombNumber, components.Replicate](w)
	shown, sent := plugin.NewSender[explosion](w), plugin.NewSender[explosionSent](w)
	clock := generic.NewResource[components.Time](w)
	var craters []ecs.Entity
	return func() {
		now := clock.Get().Tick
		at, stamp, _ := movers.Get(mover)
		at.X, stamp.Tick = float64(now), uint32(now)
		if g.rng.IntN(7) > 0 {
			return
		}
		g.n++
		about := ecs.Entity{}
		switch g.rng.IntN(4) {
		case 0:
			about = bombs.NewWith(&bombNumber{g.n}, &components.Replicate{Interpolate: components.Everyone, SendEvery: g.every})
			craters = append(craters, about)
			g.spawned[g.n] = true
		case 1:
			if len(craters) > 0 {
				last := craters[0]
				craters = craters[1:]
				number, _ := bombs.Get(last)
				g.ended[number.N] = now
				w.RemoveEntity(last)
			}
		case 2:
			if len(craters) > 0 {
				about = craters[g.rng.IntN(len(craters))]
			}
		}
		g.ticks[g.n] = now
		if err := shown.Send(components.Everyone, explosion{g.n, about}); err != nil {
			panic(err)
		}
		if err := sent.Send(components.Everyone, explosionSent{g.n}); err != nil {
			panic(err)
		}
	}
}

// At 120 ms with jitter and 5 % loss, each explosion is delivered in the very frame in which the client first shows the
// tick that it was sent in, with the crater that appeared in that tick, and not the one that ended; or in the frame in
// which it arrives, if that is later.
//
// Proves: N14
func TestAnExplosionIsDeliveredWhenItIsSeen(t *testing.T) {
	for name, every := range map[string]uint16{"every tick": 0, "every sixth": 6} {
		t.Run(name, func(t *testing.T) { runExplosions(t, every) })
	}
}

func runExplosions(t *testing.T, every uint16) {
	bad := conditioner.Config{Latency: 60 * time.Millisecond, Jitter: 15 * time.Millisecond, Loss: 0.05}
	sim := netsim.New(t, netsim.Config{Link: netsim.Symmetric(bad)})
	server, err := plugin.NewServer(sim.ServerConfig(explosionProtocol()))
	require.NoError(t, err)
	g := &bombGame{rng: rand.New(rand.NewPCG(3, 9)), every: every}
	server.AddSystem(plugin.FixedMain, plugin.Func(g.start))
	sim.AddServer(server, server)
	client, err := plugin.NewClient(sim.ClientConfig(explosionProtocol()))
	require.NoError(t, err)

	frame, late, alone, inPlace := 0, 0, 0, 0
	frameOf := map[entangle.Tick]int{} // the frame in which a tick was first shown, by the usual timeline
	slowFrameOf := map[entangle.Tick]int{}
	placeOf := map[entangle.Tick]int{} // and in which the entity that moves came to its place
	arrived, delivered := map[uint32]int{}, map[uint32]int{}
	var last, slow, place entangle.Tick
	client.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
		shown, sent := plugin.NewReader[plugin.MessageReceived[explosion]](w), plugin.NewReader[plugin.MessageReceived[explosionSent]](w)
		filter := generic.NewFilter1[smoothPlace]()
		bombs := generic.NewFilter1[bombNumber]()
		advance := func(frames map[entangle.Tick]int, last *entangle.Tick, to entangle.Tick) {
			for ; last.Before(to); *last++ {
				frames[*last+1] = frame
			}
		}
		return func() {
			frame++
			tick, _ := client.InterpolationTime(1)
			advance(frameOf, &last, tick)
			slowTick, _ := client.InterpolationTime(max(int(every), 1))
			advance(slowFrameOf, &slow, slowTick)
			for q := filter.Query(w); q.Next(); {
				advance(placeOf, &place, entangle.Tick(q.Get().X))
			}
			craters := map[uint32]ecs.Entity{}
			for q := bombs.Query(w); q.Next(); {
				craters[q.Get().N] = q.Entity()
			}
			for _, m := range sent.Read() {
				arrived[m.Message.N] = frame
			}
			for _, m := range shown.Read() {
				n := m.Message.N
				require.NotZero(t, arrived[n], "it arrives with its twin")
				require.Equal(t, g.ticks[n], m.Tick)
				delivered[n]++
				seen := frameOf
				if !m.Message.Of.IsZero() {
					seen = slowFrameOf
					require.True(t, w.Alive(m.Message.Of))
					require.True(t, w.Has(m.Message.Of, ecs.ComponentID[bombNumber](w)), "it is shown")
				}
				if g.spawned[n] {
					require.Equal(t, m.Message.Of, craters[n], "its crater is there")
				}
				for of, tick := range g.ended {
					if tick == m.Tick && every == 0 {
						require.NotContains(t, craters, of, "a crater of before")
					}
				}
				switch first := seen[m.Tick]; {
				case first == 0 && m.Tick.Before(last): // from before the first frame
				case arrived[n] > first:
					require.Equal(t, arrived[n], frame, "explosion %d of tick %d is too late already", n, m.Tick)
					late++
				default:
					require.Equal(t, first, frame, "explosion %d of tick %d", n, m.Tick)
					if m.Message.Of.IsZero() {
						if alone++; placeOf[m.Tick] == frame {
							inPlace++
						}
					}
				}
			}
		}
	}))
	peer := sim.AddClient(1, client, client)
	require.True(t, sim.RunUntil(5*time.Second, peer.Connected))
	sim.Run(60 * time.Second)
	for n, times := range delivered {
		require.Equal(t, 1, times, "explosion %d", n)
	}
	t.Logf("%d explosions, %d arrived too late; of %d without a crater, %d came as the entity was in its place", len(delivered), late, alone, inPlace)
	assert.Greater(t, len(delivered), 400)
	assert.Less(t, late, len(delivered)/10)
	assert.Greater(t, inPlace, alone*95/100, "except while it had no next sample")
	assert.Zero(t, client.Stats().Messages.Early)
}
