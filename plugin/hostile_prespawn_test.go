package plugin_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

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
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// The components of a game with a hostile server.
type (
	shell struct{ X uint32 }
	scrap struct{ Of ecs.Entity }
	plan  struct { // a blueprint
		components.At
		X uint32
	}
	wreck  struct{ X uint32 } // a part of a plan that is sent
	secret struct{ X uint32 } // a part of a plan that is not sent
	trig   struct{ Fire uint8 }
	shotOf struct { // the blueprint of an intent
		components.At
		N uint8
	}
)

func shellProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "plugin test"})
	protocol.Message[chat](p).Relay()
	protocol.Component[components.ControlledBy](p)
	protocol.Component[components.Prespawned](p)
	protocol.Component[components.ChildOf](p).Predict(protocol.Full)
	protocol.Component[shell](p).Predict(protocol.Full)
	protocol.Component[scrap](p).Predict(protocol.Full)
	protocol.Component[wreck](p).Predict(protocol.Full)
	protocol.Blueprint(p, func(_ *ecs.World, _ ecs.Entity, b plan) struct {
		wreck
		secret
	} {
		return struct {
			wreck
			secret
		}{wreck{b.X}, secret{b.X}}
	})
	protocol.Blueprint(p, func(_ *ecs.World, _ ecs.Entity, b shotOf) struct{ wreck } { return struct{ wreck }{wreck{uint32(b.N)}} })
	protocol.Input[trig](p).Rebroadcast()
	protocol.Intent(p, func(_ ecs.Entity, in trig) (shotOf, bool) { return shotOf{N: in.Fire}, in.Fire > 0 }, components.Replicate{Predict: components.Everyone})
	return p
}

// gunner is an honest client's game: it spawns shells with children, of which the server can guess the hashes, and
// despawns some of them.
type gunner struct {
	rng  *rand.Rand
	hash uint32 // the last
}

func (g *gunner) addTo(c *plugin.Client) {
	c.AddSystem(plugin.FixedInput, plugin.Func(func(w *ecs.World) func() {
		f := generic.NewFilter1[trig]().With(generic.T[components.Controlled]())
		return func() {
			for q := f.Query(w); q.Next(); {
				q.Get().Fire = uint8(g.rng.IntN(3))
			}
		}
	}))
	c.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		shells := generic.NewMap3[shell, components.Prespawned, components.Replicate](w)
		child := generic.NewMap4[shell, scrap, components.Prespawned, components.ChildOf](w, generic.T[components.ChildOf]())
		all, when := generic.NewFilter1[shell]().Without(generic.T[components.Remote]()), ecs.GetResource[components.Time](w)
		return func() {
			var found []ecs.Entity
			for q := all.Query(w); q.Next(); {
				q.Get().X++
				found = append(found, q.Entity())
			}
			tick := uint32(when.Tick)
			for i := range uint32(2) {
				hash := tick*8 + i*4
				e := shells.NewWith(&shell{tick}, &components.Prespawned{Hash: hash}, &components.Replicate{})
				child.NewWith(&shell{tick}, &scrap{e}, &components.Prespawned{Hash: hash + 1}, &components.ChildOf{}, e)
				if !when.Replaying {
					g.hash = hash
				}
			}
			if len(found) > 0 && tick%3 == 0 {
				plugin.Despawn(w, found[int(tick)%len(found)])
			}
		}
	}))
}

// forger is a server that sends an honest client well-formed structure about entities that the client has spawned.
type forger struct {
	*tyrant
	rng    *rand.Rand
	g      *gunner
	reg    *registry.Registry
	pings  int // the last ping
	pinged bool
	frames entangle.Tick
	has    map[repl.Handle]uint64        // the components of the member of a group
	last   map[repl.Handle]entangle.Tick // of the last action of a group that has not ended
	joined map[repl.Handle]repl.Member   // by group: the highest number with which an entity joined
	unit   uint32                        // number of the next unit
}

func newForger(t *testing.T, rng *rand.Rand) *forger {
	g := &gunner{rng: rng}
	y := &forger{
		rng: rng, g: g, has: map[repl.Handle]uint64{}, last: map[repl.Handle]entangle.Tick{},
		joined: map[repl.Handle]repl.Member{}, reg: registry.Of(shellProtocol()),
	}
	y.tyrant = newTyrantOf(t, shellProtocol, g.addTo)
	y.at, y.read = func() entangle.Tick { return 1000 + y.frames }, y.readPings
	return y
}

func numberOf[T any](y *forger) int { return y.reg.ComponentOf(reflect.TypeFor[T]()).Number }

// step runs a frame in which the server answers the pings of the client.
func (y *forger) step() {
	y.frames++
	y.tyrant.step()
	if y.pinged {
		y.pinged = false
		var w bits.Writer
		w.Bool(true)
		w.Bool(false)
		w.Bits(uint64(y.pings), 8)
		w.Uvarint(0)
		w.Uvarint(1)
		y.send(append(append(y.header(y.at()), byte(peer.Clock)|0x80), w.Finish()...))
	}
}

// readPings finds the pings in a payload.
func (y *forger) readPings(b []byte) {
	if h, body, err := packet.ParseHeader(b); err == nil && h.Kind == packet.Data {
		for len(body) > 0 {
			head, at := body[0], 1
			ch := channel.ID(head & 0x3f)
			if ch != peer.Clock && ch != peer.Inputs {
				return
			}
			n := len(body) - at
			if head&0x80 == 0 {
				n, at = int(body[1]), 2
				if n >= 0x80 {
					n, at = n&0x7f|int(body[2])<<7, 3
				}
			}
			if ch == peer.Clock {
				y.pings, y.pinged = int(body[at]), true
			}
			body = body[at+n:]
		}
	}
}

// value writes a whole number of 32 bits.
func value(w *bits.Writer, v uint32) {
	if v < 1048836 {
		if v < 260 {
			writeWhole(w, uint64(v))
			return
		}
		w.Bits(uint64(v-260)<<2|2, 22)
		return
	}
	w.Bits(3, 2)
	w.Bits(uint64(v), 32)
}

// set writes a set of components.
func (y *forger) set(w *bits.Writer, set uint64) {
	n := len(y.reg.Components)
	if n <= 12 {
		w.Bits(set, uint(n))
		return
	}
	width := uint(0)
	for (n-1)>>width > 0 {
		width++
	}
	for c := range n {
		if set>>c&1 != 0 {
			w.Bool(true)
			w.Bits(uint64(c), width)
		}
	}
	w.Bool(false)
}

// action makes an action of a group of one entity.
func (y *forger) action(kind repl.Kind, group repl.Handle, tick, base entangle.Tick, predicted bool, set uint64) record {
	return record{repl.Record{Kind: kind, Group: group, Tick: tick, From: repl.From{Base: base}}, func(w *bits.Writer) {
		var members repl.Predicted
		if predicted {
			members = repl.Predicted{{On: kind == repl.Full || y.rng.IntN(2) == 0}}
		}
		members.Append(w)
		refs := y.rng.IntN(4)
		w.Bool(refs > 0)
		if refs > 0 {
			w.Uvarint(uint64(refs))
			for range refs {
				repl.AppendRef(w, repl.Ref{ID: repl.ID{Group: repl.Handle(y.rng.IntN(12))}})
			}
		}
		w.Bool(false) // no leavers
		w.Bool(true)  // member 0
		removed := uint64(0)
		if kind == repl.Change {
			removed = y.sets() & y.has[group] &^ set
			if y.rng.IntN(2) == 0 {
				removed = 0
			}
			if set&y.relations() != 0 {
				removed |= y.relations() &^ set
			}
			w.Bool(removed != 0)
			if removed != 0 {
				y.set(w, removed)
			}
		}
		if kind == repl.Full {
			y.has[group] = 0
		}
		y.has[group] = y.has[group]&^removed | set
		y.set(w, set)
		y.values(w, set, refs, tick)
	}}
}

// move makes an action of a group that its member 0 leaves for another group, or which an entity joins.
func (y *forger) move(group, from repl.Handle, tick, base entangle.Tick) record {
	joins := group != from
	return record{repl.Record{Kind: repl.Change, Group: group, Tick: tick, From: repl.From{Base: base}}, func(w *bits.Writer) {
		w.Bool(false) // no predicted members
		w.Bool(joins) // references
		if joins {
			w.Uvarint(1)
			repl.AppendRef(w, repl.Ref{ID: repl.ID{Group: from}})
		}
		w.Bool(!joins) // leavers
		if !joins {
			var left repl.Numbers
			left.Append(w, 0)
			repl.AppendFate(w, repl.Moved)
			left.End(w)
		}
		w.Bool(false) // not member 0 alone
		var joined repl.Numbers
		if joins {
			y.joined[group]++
			joined.Append(w, y.joined[group])
			repl.AppendJoiner(w, 1)
		}
		joined.End(w)
		if joins {
			set := y.sets() &^ y.relations()
			w.Bool(set == 0)
			if set != 0 {
				y.set(w, set)
			}
			y.values(w, set, 1, tick)
		}
		var changes repl.Changes
		changes.End(w)
	}}
}

// relations returns the components of which an entity may have one only.
func (y *forger) relations() uint64 {
	return 1<<numberOf[components.ChildOf](y) | 1<<numberOf[components.IntentOf](y)
}

// values writes the values of components.
func (y *forger) values(w *bits.Writer, set uint64, refs int, tick entangle.Tick) {
	ref := func() uint64 { return uint64(y.rng.IntN(refs + 1)) }
	for c := range y.reg.Components {
		if set>>c&1 == 0 {
			continue
		}
		switch c {
		case numberOf[components.ControlledBy](y):
			w.Bits(uint64(1)<<2, 4)
			w.Bool(false)
		case numberOf[components.Prespawned](y):
			value(w, y.guess())
		case numberOf[components.ChildOf](y), numberOf[components.IntentOf](y):
			w.Uvarint(ref())
		case numberOf[scrap](y):
			w.Uvarint(ref())
		case numberOf[plan](y):
			value(w, uint32(y.due(tick)))
			value(w, uint32(y.rng.IntN(200)))
		case numberOf[shotOf](y):
			value(w, uint32(y.due(tick)))
			w.Bits(uint64(y.rng.IntN(256)), 8)
		case numberOf[shell](y), numberOf[wreck](y):
			value(w, uint32(y.rng.IntN(200)))
		}
	}
}

// due returns a tick near another one, or any.
func (y *forger) due(tick entangle.Tick) entangle.Tick {
	switch y.rng.IntN(8) {
	case 0:
		return 0
	case 1:
		return entangle.Tick(y.rng.Uint32())
	case 2:
		return tick - entangle.Tick(y.rng.IntN(200))
	}
	return tick + entangle.Tick(y.rng.IntN(40)) - 20
}

// guess returns a hash, mostly that of an entity that the client has spawned.
func (y *forger) guess() uint32 {
	if y.rng.IntN(8) == 0 {
		return y.rng.Uint32()
	}
	return y.g.hash - 4*uint32(y.rng.IntN(40)) + uint32(y.rng.IntN(2)) + 8*uint32(y.rng.IntN(4))
}

// sets returns random components, without inputs.
func (y *forger) sets() (set uint64) {
	for c, info := range y.reg.Components {
		if y.rng.IntN(2) == 0 || info.Type == reflect.TypeFor[components.Prespawned]() && y.rng.IntN(4) > 0 {
			set |= 1 << c
		}
	}
	if y.rng.IntN(2) == 0 {
		set &^= 1 << numberOf[components.ChildOf](y)
	} else {
		set &^= 1 << numberOf[components.IntentOf](y)
	}
	return set
}

// A server names, in well-formed records, entities that the client has spawned, has despawned, or never had: with hashes
// that are taken, with other components, parents and children than they have, with blueprints of any tick. It takes
// components away, moves entities in units of which some never apply, and ends groups again. The client merges what it can, stays connected, and in the end has
// nothing of that server.
//
// Proves: Z17
func TestAServerThatForgesPrespawnedEntities(t *testing.T) {
	const seed = 30
	t.Logf("seed %d; repeat with: go test ./plugin -run TestAServerThatForgesPrespawnedEntities", seed)
	y := newForger(t, rand.New(rand.NewPCG(seed, 1)))
	for range 120 {
		y.step()
	}
	require.True(t, y.c.Stats().Clock.Synced)
	for range 120 {
		for range y.rng.IntN(6) {
			y.forge()
		}
		y.step()
		require.Equal(t, plugin.Connected, y.c.State(), y.c.Err())
	}
	assert.NotZero(t, y.c.Stats().Prespawned.Matched)
	assert.NotZero(t, y.c.Stats().Prespawned.Collisions)
	y.c.Disconnect()
	y.step()
	assert.Zero(t, count[components.Remote](y.c.world))
}

// forge sends actions of some groups.
func (y *forger) forge() {
	tick, groups := y.at(), 1
	if y.rng.IntN(20) == 0 {
		tick += entangle.Tick(y.rng.IntN(100))
	}
	inUnit := y.rng.IntN(3) == 0
	if inUnit {
		groups += y.rng.IntN(3)
	}
	var rs []record
	for _, g := range y.rng.Perm(12)[:groups] {
		group, kind := repl.Handle(g), repl.Full
		base, known := y.last[group]
		if known {
			kind = repl.Kind(y.rng.IntN(3))
		}
		if kind == repl.Change && group >= firstMover {
			kind = repl.Full
		}
		if kind != repl.Full && !base.Before(tick) {
			continue
		}
		rs = append(rs, y.action(kind, group, tick, base, y.rng.IntN(5) > 0, y.sets()))
		y.last[group] = tick
		if kind == repl.Gone {
			delete(y.last, group)
		}
	}
	if !inUnit {
		y.records(tick, rs...)
		return
	}
	y.forgeUnit(tick, append(rs, y.forgeMove(tick, rs)...))
}

// firstMover is the first group of which member 0 may move away. Values of a member that is not there are malformed, so there
// are no changes of them.
const firstMover = 8

// forgeMove makes the two actions of a move between groups that have no action among others.
func (y *forger) forgeMove(tick entangle.Tick, others []record) []record {
	from, to := firstMover+repl.Handle(y.rng.IntN(12-firstMover)), repl.Handle(y.rng.IntN(12))
	for _, r := range others {
		if r.Group == from || r.Group == to {
			return nil
		}
	}
	left, knowsFrom := y.last[from]
	joined, knowsTo := y.last[to]
	if from == to || !knowsFrom || !knowsTo || !left.Before(tick) || !joined.Before(tick) {
		return nil
	}
	y.last[from], y.last[to] = tick, tick
	half := []record{y.move(from, from, tick, left), y.move(to, from, tick, joined)}
	return half[:1+y.rng.IntN(2)] // or nobody takes the entity
}

// forgeUnit sends actions as a unit, with one part for some of them, in any order. Some units never apply.
func (y *forger) forgeUnit(tick entangle.Tick, rs []record) {
	slices.SortFunc(rs, func(a, b record) int { return int(a.Group) - int(b.Group) })
	var ps []unitPart
	for {
		n := min(len(rs), 1+y.rng.IntN(3))
		p := unitPart{repl.UnitHead{Number: y.unit, Part: uint32(len(ps))}, rs[:n], n == len(rs)}
		if p.Part == 0 && y.rng.IntN(4) == 0 {
			need := repl.Handle(y.rng.IntN(14))
			if at := y.last[need] + entangle.Tick(y.rng.IntN(2)); !tick.Before(at) {
				p.Needs = []repl.Need{{Group: need, Tick: at}}
			}
		}
		if ps, rs = append(ps, p), rs[n:]; p.last {
			break
		}
	}
	y.unit++
	y.rng.Shuffle(len(ps), func(i, k int) { ps[i], ps[k] = ps[k], ps[i] })
	if y.rng.IntN(6) == 0 {
		ps = ps[1:]
	}
	for _, p := range ps {
		y.parts(tick, p)
	}
}
