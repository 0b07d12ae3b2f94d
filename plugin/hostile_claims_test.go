package plugin_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// liar is a raider of a hideout that claims random times of its screen and random arrivals of packets. An honest
// player is there too.
type liar struct {
	*hideout
	rng    *rand.Rand
	honest ecs.Entity
	saw    []string // by the honest player, in each tick
	frames int
}

func newLiar(t *testing.T, seed uint64) *liar {
	l := &liar{hideout: newHideout(t), rng: rand.New(rand.NewPCG(seed, 5))}
	owned := generic.NewMap4[thrust, glance, components.ControlledBy, components.Replicate](l.world)
	l.honest = owned.NewWith(&thrust{}, &glance{}, &components.ControlledBy{Client: 1, Keep: true}, &components.Replicate{})
	l.joinWith(galleryProtocol(), 1, honest(1))
	l.also = func(rewind *plugin.Rewind[runner]) {
		l.look(rewind)
		view, saw := rewind.View(l.honest), ""
		for i := range view.Len() {
			e, at, ok := view.At(i)
			saw += fmt.Sprint(e, at, ok, view.Rewound(i))
		}
		l.saw = append(l.saw, saw)
	}
	return l
}

// number returns a number of either sign with at most so many bits.
func (l *liar) number(bits int) int64 {
	n := l.rng.Int64N(1 << l.rng.IntN(bits+1))
	if l.rng.IntN(2) == 0 {
		n = -n
	}
	return n
}

// packetID returns the id of a packet that has arrived, or of any.
func (l *liar) packetID() uint64 {
	if l.rng.IntN(2) == 0 {
		return l.rng.Uint64N(1 << 16)
	}
	return uint64(max(l.frames+15-l.rng.IntN(40), 0))
}

// lie sends inputs with the screens of some ticks and with late frames. wide says that also numbers are sent that no
// client may send.
func (l *liar) lie(wide bool) {
	var w bits.Writer
	long, header := 12, l.server.Tick()-entangle.Tick(l.rng.IntN(3))
	if wide {
		long, header = 40, l.server.Tick()+entangle.Tick(l.number(31))
	}
	n, intervals := 1+l.rng.IntN(6), l.rng.IntN(3)
	newest := int64((l.server.Tick() + 1 + entangle.Tick(l.rng.IntN(8))).Sub(header))
	w.Uvarint(uint64(n))
	w.Varint(newest)
	w.Varint(l.number(long))
	w.Bits(l.rng.Uint64N(256), 8)
	w.Uvarint(uint64(intervals))
	for i := range intervals {
		w.Uvarint(uint64(1 + 2*i))
		w.Varint(l.number(long))
	}
	late := l.rng.IntN(5) / 4 * (1 + l.rng.IntN(32))
	if w.Bool(late > 0); late > 0 {
		w.Bits(uint64(late-1), 5)
	}
	for range late {
		w.Uvarint(uint64(max(l.number(long), 0)))
		l.distances(&w, intervals, long)
		w.Bits(l.packetID(), 16)
		w.Uvarint(uint64(l.rng.Uint32() >> l.rng.IntN(32)))
		overtaken := l.rng.IntN(2) == 0
		if w.Bool(overtaken); overtaken {
			w.Uvarint(uint64(l.rng.Uint32() >> l.rng.IntN(32)))
		}
	}
	for range n - 1 {
		moved := l.rng.IntN(2) == 0
		if w.Bool(moved); moved {
			w.Bits(3, 2)
			w.Varint(l.number(long))
			l.distances(&w, intervals, long)
		}
	}
	appendLanes(&w, []forged{{typ: thrustType, of: wireName(0), distance: newest, more: uint64(n - 1), value: 1}})
	l.id++
	b := packet.AppendHeader(nil, packet.Header{Kind: packet.Data, ID: l.id, Tick: header})
	l.send(append(append(b, byte(peer.Inputs)|0x80), w.Finish()...))
}

// distances writes random changes of the distances of intervals.
func (l *liar) distances(w *bits.Writer, intervals, long int) {
	if intervals == 0 {
		return
	}
	moved := l.rng.IntN(2) == 0
	if w.Bool(moved); moved {
		for range intervals {
			one := l.rng.IntN(2) == 0
			if w.Bool(one); one {
				w.Varint(l.number(long))
			}
		}
	}
}

// A client that claims other times of its screen in each tick, and the arrival of packets that were not sent, is not
// shown a target as it was longer ago than ServerConfig.MaxRewind and one send interval, nor a place where an entity was
// hidden from it. Other players see what they see without it, and the server's memory does not grow.
//
// Proves: L2, L4
func TestClaimsThatChangeWildly(t *testing.T) {
	const frames = 400
	calm := newLiar(t, 0)
	for range frames {
		calm.acknowledge()
		calm.game.run(1)
		calm.sess.Advance(calm.now)
	}
	shown := map[bool]int{}
	for seed := range uint64(6) {
		wide := seed%2 == 1
		t.Run(fmt.Sprintf("seed %d, wide: %v", seed, wide), func(t *testing.T) {
			l := newLiar(t, seed)
			before := heap()
			for l.frames = range frames {
				if seed < 2 || l.rng.IntN(3) == 0 {
					l.acknowledge()
				}
				for range 1 + l.rng.IntN(2) {
					l.lie(wide && l.rng.IntN(50) == 0)
				}
				l.game.run(1)
				l.sess.Advance(l.now)
				for _, s := range l.shots {
					require.LessOrEqual(t, s.age, float64(galleryReach+1), "%+v", s)
					require.GreaterOrEqual(t, s.age, 1.0, "%+v", s)
				}
				l.shots = l.shots[:0]
				if wide && !l.here(raider) {
					_ = l.conn.Close()
					l.intruder = l.infiltrate(raider)
					hello := binary.LittleEndian.AppendUint64([]byte{1}, galleryProtocol().Hash())
					l.say(peer.Control, binary.LittleEndian.AppendUint64(hello, 0))
					l.say(peer.FirstMessages, chatBody(0, nil, 0))
				}
			}
			require.Empty(t, l.revealed)
			require.Less(t, heap(), before+4<<20)
			assert.True(t, wide || l.here(raider))
			assert.True(t, wide || l.shown > 0)
			shown[wide] += l.shown
			assert.Equal(t, plugin.Connected, l.clients[0].State())
			require.Equal(t, calm.saw[:frames], l.saw[:frames])
		})
	}
	assert.NotZero(t, shown[true], "most of these are disconnected soon")
}

// Inputs of long ago, and of ticks from which the number of a tick has begun again, fire nothing, however many a client
// sends. They cost the server no memory.
//
// Proves: T13
func TestInputsOfLongAgoFireNothing(t *testing.T) {
	a, rng := newArenaOf(t, dartProtocol), rand.New(rand.NewPCG(3, 9))
	a.alone()
	a.strike(70, nil)
	for e := range a.dartEntities() {
		a.world.RemoveEntity(e)
	}
	fired, before := a.server.Stats().Inputs.Intents, heap()
	for range 600 {
		now := a.server.Tick()
		back := int64(rng.IntN(256))
		a.strike(1, func() {
			a.sendInputs(now, frameOf(forged{typ: thrustType, of: wireName(0), distance: -back, more: uint64(rng.IntN(4)), epoch: rng.Uint64N(8)}))
			a.sendInputs(now-entangle.Tick(1<<rng.IntN(32)), frameOf(forged{typ: thrustType, of: wireName(0), epoch: rng.Uint64N(8)}))
		})
	}
	assert.Equal(t, fired, a.server.Stats().Inputs.Intents)
	assert.Empty(t, a.dartEntities())
	assert.Less(t, heap(), before+1<<20)
}

// A hostile server sends ten thousand entities, all with the hash of the entity that the client prespawns in each tick.
// They cost the client no more than ten thousand others. One of them matches the client's entity, and nothing is left when
// all have been despawned.
//
// Proves: E8
func TestOneHashTenThousandTimes(t *testing.T) {
	spawning := false
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = shellProtocol() }, func(s *plugin.Server) {
		s.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
			shells := generic.NewMap3[shell, components.Prespawned, components.Replicate](w)
			return func() {
				for range 10_000 {
					if spawning {
						shells.NewWith(&shell{}, &components.Prespawned{Hash: 77}, &components.Replicate{Predict: components.Everyone})
					}
				}
				spawning = false
			}
		}))
	})
	firing := false
	client := g.joinWith(shellProtocol(), 1, func(c *plugin.Client) {
		c.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
			shells := generic.NewMap3[shell, components.Prespawned, components.Replicate](w)
			return func() {
				if firing {
					shells.NewWith(&shell{}, &components.Prespawned{Hash: 77}, &components.Replicate{})
				}
			}
		}))
	})
	count := func(w *ecs.World) int {
		q := generic.NewFilter1[shell]().Query(w)
		defer q.Close()
		return q.Count()
	}
	g.run(60)
	require.Equal(t, plugin.Connected, client.State())
	firing = true
	g.run(20)
	spawning = true
	g.run(400)
	require.Equal(t, 10_000, count(g.world))
	stats := client.Stats().Prespawned
	assert.EqualValues(t, 1, stats.Matched)
	assert.Less(t, count(client.world), 10_000+100)
	firing = false
	g.run(240)
	assert.Equal(t, 10_000, count(client.world))
	ended := ecs.All(ecs.ComponentID[shell](g.world))
	g.world.Batch().RemoveEntities(ended)
	g.run(200)
	assert.Equal(t, plugin.Connected, client.State())
	assert.Zero(t, count(client.world))
}
