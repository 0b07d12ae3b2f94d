package plugin_test

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// These are the inputs of the arena: one that moves, and one that names an entity.
type (
	thrust struct {
		Go   uint8
		Jump bool `net:"event"`
	}
	glance struct{ At ecs.Entity }
)

// Numbers of the inputs on the wire, in the order of their type names.
const (
	glanceType = iota
	thrustType
	inputTypes
)

func arenaProtocol() *protocol.Protocol { return arenaProtocolAt(0) }

// arenaProtocolAt is arenaProtocol with a number of ticks per second; 0 is the usual one.
func arenaProtocolAt(tickRate int) *protocol.Protocol {
	p := register(protocol.New(protocol.Config{Name: "plugin test", TickRate: tickRate}))
	protocol.Component[components.ControlledBy](p)
	protocol.Input[thrust](p).Rebroadcast()
	protocol.Input[glance](p)
	return p
}

// arena is a game in which players move by their inputs. It has two honest players, a raider that
// writes its payloads by hand, an entity that the raider cannot see, one that no client controls,
// and a despawned one.
type arena struct {
	*game
	*intruder
	of     func() *protocol.Protocol
	mine   ecs.Entity // the entity of the raider
	ticks  []string   // state of all entities except the raider's after each tick
	moved  []moved    // moves of the raider's entity
	silent bool       // nothing is recorded
	sums   []uint64   // checksums in place of ticks, if there are many
}

// moved is the input that an entity was driven by in a tick.
type moved struct {
	thrust
	tick   entangle.Tick
	status plugin.InputStatus
}

const raider = 100

func newArena(t testing.TB) *arena { return newArenaOf(t, arenaProtocol) }

func newArenaOf(t testing.TB, of func() *protocol.Protocol) *arena {
	a := &arena{ticks: make([]string, 0, 60+60+20+besieged), of: of}
	a.game = newGameWith(t, func(c *plugin.ServerConfig) {
		c.Protocol = of()
		c.MaxWorkPerClient = -1 // the limits that apply after the quota are tested
	}, func(s *plugin.Server) {
		s.AddSystem(plugin.FixedMain, plugin.Func(a.move))
	})
	a.mine = a.fighter(raider, components.Everyone)
	a.fighter(1, components.Everyone)
	a.fighter(2, components.Everyone)
	targets := ecs.GetResource[components.Targets](a.world)
	a.fighter(1, targets.Only(1))
	a.fighter(entangle.Nobody, components.Everyone)
	gone := a.fighter(1, components.Everyone)
	for id := range entangle.ClientID(2) {
		a.joinWith(of(), id+1, honest(id+1))
	}
	a.run(60)
	a.world.RemoveEntity(gone)
	a.invade()
	a.run(60)
	return a
}

// fighter spawns an entity with both inputs.
func (a *arena) fighter(client entangle.ClientID, target components.Target) ecs.Entity {
	id := uint32(1)
	for range spots(a.world) {
		id++
	}
	m := generic.NewMap6[spot, name, thrust, glance, components.ControlledBy, components.Replicate](a.world)
	return m.NewWith(&spot{}, &name{id}, &thrust{}, &glance{},
		&components.ControlledBy{Client: client, Keep: true}, &components.Replicate{Target: target})
}

// move moves all entities by their inputs and records the result.
func (a *arena) move(w *ecs.World) func() {
	filter, when := generic.NewFilter4[spot, name, thrust, glance](), ecs.GetResource[components.Time](w)
	inputs := plugin.NewInputs[thrust](w)
	return func() {
		if a.silent || a.sums == nil && len(a.ticks) == cap(a.ticks) {
			return
		}
		var all []string
		for q := filter.Query(w); q.Next(); {
			s, n, by, at := q.Get()
			s.X += float32(by.Go)
			if by.Jump {
				s.Y++
			}
			if q.Entity() != a.mine {
				all = append(all, fmt.Sprint(*n, *s, *by, *at))
				continue
			}
			if a.sums == nil {
				a.moved = append(a.moved, moved{*by, when.Tick, inputs.Status(a.mine)})
			}
		}
		slices.Sort(all)
		a.note(fmt.Sprint(when.Tick, all))
	}
}

// note records the state after a tick.
func (a *arena) note(tick string) {
	if a.sums == nil {
		a.ticks = append(a.ticks, tick)
		return
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(tick))
	a.sums = append(a.sums, h.Sum64())
}

// honest returns a player with inputs that depend only on its id and the tick.
func honest(id entangle.ClientID) func(*plugin.Client) {
	return func(c *plugin.Client) {
		c.AddSystem(plugin.FixedInput, plugin.Func(func(w *ecs.World) func() {
			filter, when := generic.NewFilter3[thrust, glance, components.Controlled](), ecs.GetResource[components.Time](w)
			return func() {
				n := uint32(when.Tick) / 7 * uint32(id)
				for q := filter.Query(w); q.Next(); {
					by, _, _ := q.Get()
					by.Go, by.Jump = uint8(n%4), n%5 == 0
				}
			}
		}))
	}
}

// invade connects the raider.
func (a *arena) invade() {
	a.intruder = a.infiltrate(raider)
	hello := binary.LittleEndian.AppendUint64([]byte{1}, a.of().Hash())
	a.say(peer.Control, binary.LittleEndian.AppendUint64(hello, 0))
	a.say(peer.FirstMessages, chatBody(0, nil, 0))
	a.game.run(2)
	require.True(a.game.t, a.here(raider))
}

// strike lets the raider do something in each of the given number of frames, and reconnects it when
// the server has disconnected it. The raider reads the packets that arrive, so that it learns the
// network ids of entities.
func (a *arena) strike(frames int, attack func()) {
	for range frames {
		if !a.here(raider) {
			_ = a.conn.Close()
			a.invade()
		}
		if attack != nil {
			attack()
		}
		a.acknowledge()
		a.game.run(1)
		a.step()
	}
}

// sendInputs sends the body of a frame of inputs, in a packet with a tick.
func (a *arena) sendInputs(tick entangle.Tick, body []byte) { a.sendFrame(peer.Inputs, tick, body) }

func (a *arena) sendFrame(ch channel.ID, tick entangle.Tick, body []byte) {
	a.id++
	b := packet.AppendHeader(nil, packet.Header{Kind: packet.Data, ID: a.id, Tick: tick})
	a.send(append(append(b, byte(ch)|0x80), body[:min(len(body), entangle.MaxPayload-len(b)-1)]...))
}

// forged is one input stream that no honest client writes. The zero value is a stream that the
// raider may send.
type forged struct {
	typ      uint64
	of       repl.Ref
	table    int // entries, for a type with entities
	epoch    uint64
	distance int64 // from the packet's tick to the newest tick of the stream
	more     uint64
	body     func(w *bits.Writer) // nil: as many equal values as there are ticks
	value    uint64
}

func wireName(h repl.Handle) repl.Ref { return repl.Ref{ID: repl.ID{Group: h}, Yours: true} }

// frameOf writes a frame of forged input streams.
func frameOf(lanes ...forged) []byte {
	var w bits.Writer
	w.Uvarint(0) // no screen
	appendLanes(&w, lanes)
	return w.Finish()
}

func appendLanes(w *bits.Writer, lanes []forged) {
	for n, l := range lanes {
		if n > 0 {
			w.Bool(true)
		}
		w.Uvarint(l.typ)
		repl.AppendRef(w, l.of)
		if l.typ == glanceType {
			w.Uvarint(uint64(l.table))
			for range l.table {
				w.Bool(true)
				repl.AppendRef(w, l.of)
			}
		}
		w.Bits(l.epoch, 3)
		w.Varint(l.distance)
		w.Uvarint(l.more)
		if l.body != nil {
			l.body(w)
			continue
		}
		w.Bool(true)
		if l.typ == glanceType {
			w.Uvarint(uint64(min(l.table, 1)))
		} else {
			w.Bits(l.value, 9)
		}
		wholeRun(w, uint(l.more)+1)
	}
	w.Bool(false)
}

// wholeRun writes that a run extends over all n remaining ticks.
func wholeRun(w *bits.Writer, n uint) {
	high := uint(0)
	for n>>(high+1) > 0 {
		high++
	}
	w.Bits(0, high)
	w.Bits(uint64(n), high)
}

// besieged is the number of frames that an attack lasts.
const besieged = 200

// attack is what the raider does in frame n. The server's last tick is now.
type attack func(a *arena, n int, now entangle.Tick)

// siege attacks one arena and compares it with one that was not attacked.
func siege(t *testing.T, does attack) *arena {
	calm, a := newArena(t), newArena(t)
	calm.strike(besieged, nil)
	n, before := 0, heap()
	a.strike(besieged, func() { does(a, n, a.server.Tick()); n++ })
	require.GreaterOrEqual(t, len(a.ticks), len(calm.ticks))
	for i, want := range calm.ticks {
		require.Equal(t, want, a.ticks[i])
	}
	require.Less(t, heap(), before+2<<20)
	for _, c := range a.clients {
		require.Equal(t, plugin.Connected, c.State())
	}
	return a
}

// A client cannot affect anything by inputs that it may not send: entities that others drive,
// entities that no client drives, and its own entity are as without the attack.
//
// Proves: Z11, Z13
func TestHostileInputsHarmNobody(t *testing.T) {
	attacks := inputAttacks()
	names := slices.Sorted(maps.Keys(attacks))
	if testing.Short() { // each attack takes long, and they are alike
		names = names[:4]
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			a := siege(t, attacks[name])
			for _, m := range a.moved {
				require.Zero(t, m.thrust)
			}
		})
	}
}

// inputAttacks are the frames that the raider sends. None of them may drive its own entity.
func inputAttacks() map[string]attack {
	rng := rand.New(rand.NewPCG(1, 2))
	mine := wireName(0)
	one := func(l forged) attack {
		l.typ, l.of = thrustType, mine
		return func(a *arena, _ int, now entangle.Tick) { a.sendInputs(now+2, frameOf(l)) }
	}
	far := func(ticks ...int) attack {
		return func(a *arena, n int, now entangle.Tick) {
			a.sendInputs(now+entangle.Tick(ticks[n%len(ticks)]), frameOf(forged{typ: thrustType, of: mine, value: 5}))
		}
	}
	body := func(write func(w *bits.Writer)) attack { return one(forged{more: 4, body: write}) }
	return map[string]attack{
		"others, unknown, hidden, gone, of every type": everyName,
		"the far future":      far(66, 67, 100, 1000, 1<<20, 1<<30, 1<<31-1),
		"the past":            far(0, -1, -10, -100, -256, -257, -1000, -1<<20, -1<<31),
		"far from its packet": one(forged{value: 5, distance: 5000}),
		"without end":         one(forged{value: 5, more: 1 << 60}),
		"65 ticks":            one(forged{value: 5, more: 64}),
		"no type": func(a *arena, _ int, now entangle.Tick) {
			a.sendInputs(now+2, frameOf(forged{typ: inputTypes, of: mine}))
		},
		"a type without end":     func(a *arena, _ int, now entangle.Tick) { a.sendInputs(now+2, frameOf(forged{typ: 1 << 62, of: mine})) },
		"a table without end":    func(a *arena, _ int, now entangle.Tick) { a.sendInputs(now+2, frameOf(forged{of: mine, table: 1000})) },
		"only holes":             body(func(w *bits.Writer) { w.Bits(2, 2); wholeRun(w, 5) }),
		"nothing but a head":     body(func(*bits.Writer) {}),
		"a run beyond its ticks": body(func(w *bits.Writer) { w.Bits(0, 2); w.Bits(0, 2); w.Bits(3, 2) }),
		"its own name, as if it had given it": func(a *arena, n int, now entangle.Tick) {
			of := wireName(0)
			of.Yours = false
			a.sendInputs(now+2, frameOf(forged{typ: thrustType, of: of, value: 5}))
		},
		"clock frames of any bytes": func(a *arena, _ int, now entangle.Tick) {
			for range 3 {
				a.sendFrame(peer.Clock, now+entangle.Tick(rng.Uint32N(200)), noiseOf(rng, rng.IntN(40)))
			}
		},
		"an empty frame": func(a *arena, _ int, now entangle.Tick) { a.sendInputs(now+2, nil) },
	}
}

// everyName sends inputs of every type for all possible network ids except that of the raider's
// entity.
func everyName(a *arena, n int, now entangle.Tick) {
	h := repl.Handle(n % 24)
	for _, group := range []repl.Handle{h, repl.Private + h, 1000 + h, 1<<31 + h} {
		var lanes []forged
		for member := range 3 {
			of := wireName(group)
			of.ID.Member = repl.Member(member)
			if group != 0 || member > 0 {
				lanes = append(lanes, forged{typ: thrustType, of: of, value: 1<<8 | 5, more: 5},
					forged{typ: glanceType, of: of, table: 1, more: 5})
			}
		}
		a.sendInputs(now+4, frameOf(lanes...))
	}
}

func noiseOf(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// A client may flood the server, repeat inputs, leave gaps, or make its clock jump with every
// packet. In each tick its own entity still acts on one of the inputs that it sent for that tick,
// and other clients are unaffected.
//
// Proves: Z12
func TestAFloodOfInputsActsOncePerTick(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for name, lanes := range map[string]func(k int) forged{
		"ten times the rate": func(int) forged { return forged{more: uint64(rng.IntN(20)), distance: int64(rng.IntN(9))} },
		"64 ticks ahead":     func(int) forged { return forged{more: 63, distance: 60} },
		"epochs that jump":   func(int) forged { return forged{more: 5, distance: 5, epoch: rng.Uint64N(8)} },
		"the same again":     func(int) forged { return forged{more: 9, distance: 4, value: 1<<8 | 3} },
	} {
		t.Run(name, func(t *testing.T) {
			sent := map[entangle.Tick]map[thrust]bool{}
			a := siege(t, func(a *arena, _ int, now entangle.Tick) {
				for k := range 20 {
					l := lanes(k)
					l.typ, l.of = thrustType, wireName(0)
					if l.value == 0 {
						l.value = rng.Uint64N(1 << 9)
					}
					a.sendInputs(now+1, frameOf(l))
					note(sent, now+1, l)
				}
			})
			assert.True(t, a.here(raider), "it is dropped, and may stay")
			acted := 0
			for _, m := range a.moved {
				if m.status == plugin.FreshInput {
					require.True(t, wasSent(sent[m.tick], m.thrust), "%+v was not sent for its tick", m)
					acted++
				} else {
					require.False(t, m.Jump, "%+v", m)
				}
			}
			assert.Greater(t, acted, besieged/2)
		})
	}
}

// wasSent reports whether a value was sent for a tick, or is a combination of several values that
// were sent. An input that replaces a waiting one keeps its jump, so that a jump of the clock loses
// no jump of the player.
func wasSent(sent map[thrust]bool, v thrust) bool {
	jumped := false
	for other := range sent {
		jumped = jumped || other.Jump
	}
	return sent[v] || jumped && v.Jump && sent[thrust{Go: v.Go}]
}

// note records the input that a stream has for each of its ticks.
func note(sent map[entangle.Tick]map[thrust]bool, header entangle.Tick, l forged) {
	for k := range l.more + 1 {
		tick := header + entangle.Tick(l.distance) - entangle.Tick(k)
		if sent[tick] == nil {
			sent[tick] = map[thrust]bool{}
		}
		sent[tick][thrust{uint8(l.value), l.value>>8 != 0}] = true
	}
}

// These frames are truncated, have flipped bits, or are noise.
//
// Proves: Z11, Z13
func TestBrokenInputsHarmNobody(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	siege(t, func(a *arena, n int, now entangle.Tick) {
		for range 2 {
			b := frameOf(forged{typ: thrustType, of: wireName(0), more: 7, distance: 5, value: 1<<8 | 5},
				forged{typ: glanceType, of: wireName(repl.Handle(n % 6)), table: 1, more: 3, distance: 3})
			switch rng.IntN(3) {
			case 0:
				b = b[:rng.IntN(len(b))]
			case 1:
				b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
			default:
				b = noiseOf(rng, rng.IntN(100))
			}
			a.sendInputs(now+entangle.Tick(rng.IntN(5)), b)
		}
	})
}

// A refused frame allocates no memory, whatever the reason for the refusal.
//
// Proves: Z11, Z13
func TestARefusedInputAllocatesNothing(t *testing.T) {
	for name, frame := range map[string][]byte{
		"another's":  frameOf(forged{typ: thrustType, of: wireName(1), more: 63, value: 5}),
		"unknown":    frameOf(forged{typ: thrustType, of: wireName(900), more: 63, value: 5}),
		"far":        frameOf(forged{typ: thrustType, of: wireName(0), distance: 4000, more: 63, value: 5}),
		"long ago":   frameOf(forged{typ: thrustType, of: wireName(0), distance: -4000, more: 63, value: 5}),
		"with names": frameOf(forged{typ: glanceType, of: wireName(2), table: 64, more: 63}),
	} {
		t.Run(name, func(t *testing.T) {
			a := newArena(t)
			a.strike(60, func() { a.sendInputs(a.server.Tick()+1, frame) })
			least := func(frame []byte) uint64 { // the least of several rounds, because buffers grow and the runtime allocates too
				return min(a.allocated(frame), a.allocated(frame), a.allocated(frame))
			}
			require.Equal(t, least(nil), least(frame))
			require.True(t, a.here(raider))
		})
	}
}

// allocated returns how much the server allocates in some frames, in each of which it receives an
// input or an empty packet. The game's own systems do the same in both cases.
func (a *arena) allocated(frame []byte) (count uint64) {
	a.silent = true
	for range 20 {
		if frame == nil {
			a.send(a.header())
		} else {
			a.sendInputs(a.server.Tick()+1, frame)
		}
		a.now = a.now.Add(time.Second / 60)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		a.server.Step(a.now)
		runtime.ReadMemStats(&after)
		count += after.Mallocs - before.Mallocs
	}
	return count
}
