package message

import (
	"reflect"
	"testing"

	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func (*gallery) typeOf(v any) reflect.Type { return reflect.TypeOf(v).Elem() }

// number returns the number that stands for a type of resource on the wire.
func (g *gallery) number(t reflect.Type) uint64 {
	return uint64(g.resources.findResource(t).Info.Number)
}

// crew returns a message with a value of the resource crew, whose members are the server's entities
// of some groups.
func (g *gallery) crew(name string, groups ...repl.Handle) []byte {
	var w bits.Writer
	w.Uvarint(g.number(reflect.TypeFor[crew]()))
	w.Bool(true)
	w.Uvarint(uint64(len(groups)))
	for _, h := range groups {
		w.Bool(true)
		repl.AppendRef(&w, repl.Ref{ID: repl.ID{Group: h}})
	}
	w.Uvarint(uint64(len(name)))
	w.Raw([]byte(name))
	w.Uvarint(uint64(len(groups)))
	for i := range groups {
		w.Uvarint(uint64(i + 1))
	}
	return w.Finish()
}

func (g *gallery) get(body []byte) error {
	return g.mail.HandleMessage(peer.Resources, body, 1, g.now)
}

// come makes the entities of some of the server's groups arrive: it spawns them on the client, and
// adds them to known.
func (g *gallery) come(known map[repl.ID]repl.Slot, groups ...repl.Handle) {
	g.mail.slotOf = func(id repl.ID) (repl.Slot, bool) {
		if s, ok := known[id]; ok {
			return s, true
		}
		return repl.NoSlot, false
	}
	for _, h := range groups {
		g.comeAs(known, repl.ID{Group: h})
	}
}

func (g *gallery) comeAs(known map[repl.ID]repl.Slot, ids ...repl.ID) {
	for _, id := range ids {
		known[id] = g.copy.applier.Spawn(id)
	}
}

// Bytes that no server writes are an error, and leave the resource unchanged.
//
// Proves: Z6
func TestMalformedResourcesAreErrors(t *testing.T) {
	g := newGallery(t)
	removal := func(number uint64) []byte {
		var w bits.Writer
		w.Uvarint(number)
		w.Bool(false)
		return w.Finish()
	}
	good := g.crew("seven", 1, 2)
	require.NoError(t, g.get(good))
	require.Equal(t, crew{"seven", make([]ecs.Entity, 2)}, *shownOf[crew](g))
	var table, index, list bits.Writer
	for _, w := range []*bits.Writer{&table, &index, &list} {
		w.Uvarint(g.number(reflect.TypeFor[crew]()))
		w.Bool(true)
	}
	table.Uvarint(MaxRefs + 1)
	table.Raw(make([]byte, 8000))
	index.Uvarint(0)
	index.Uvarint(0)
	index.Uvarint(1)
	index.Uvarint(1) // an index into an empty table
	list.Uvarint(0)
	list.Uvarint(0)
	list.Uvarint(1 << 40)
	for name, body := range map[string][]byte{
		"nothing":                  {},
		"a number of none":         removal(6),
		"a large number":           removal(1 << 60),
		"bytes after it":           append(good[:len(good):len(good)], 0),
		"bytes after a removal":    append(removal(g.number(reflect.TypeFor[crew]())), 0),
		"a removal of what is not": removal(g.number(reflect.TypeFor[tide]())),
		"a table that is too long": table.Finish(),
		"an index beyond it":       index.Finish(),
		"a list without end":       list.Finish(),
	} {
		assert.Error(t, g.get(body), name)
	}
	for n := range good {
		assert.Error(t, g.get(good[:n]), "cut to %d bytes", n)
	}
	assert.Equal(t, crew{"seven", make([]ecs.Entity, 2)}, *shownOf[crew](g))
	g.mail.Resources = nil // as on a server
	assert.ErrorIs(t, g.get(good), errWrongWay)
}

// A value is written again when entities that it refers to arrive. It never gets an entity that only
// an older value referred to.
//
// Proves: R29
func TestEntitiesOfAResourceAreSetWhenTheyCome(t *testing.T) {
	g := newGallery(t)
	known := map[repl.ID]repl.Slot{}
	g.come(known, 1)
	require.NoError(t, g.get(g.crew("a", 1, 2, 3)))
	place := shownOf[crew](g)
	one := place.Members[0]
	assert.Equal(t, []ecs.Entity{one, {}, {}}, place.Members)
	g.come(known, 3)
	require.NoError(t, g.mail.Advance(g.now))
	three := place.Members[2]
	require.False(t, three.IsZero())
	assert.Equal(t, []ecs.Entity{one, {}, three}, place.Members)

	place.Name = "the game's"
	g.come(known, 9)
	require.NoError(t, g.mail.Advance(g.now))
	assert.Equal(t, "the game's", place.Name, "nothing in it has come")

	require.NoError(t, g.get(g.crew("b", 2)))
	assert.Equal(t, crew{"b", make([]ecs.Entity, 1)}, *place)
	g.come(known, 2)
	require.NoError(t, g.mail.Advance(g.now))
	assert.True(t, g.shown.Alive(place.Members[0]))
	require.NoError(t, g.get(g.crew("c")))
	assert.Zero(t, g.copy.Kept())
}

// A reference in a value means one entity. The next entity with its handle is another one, even when the
// value is written again because another of its entities arrives.
//
// Proves: R27, R29
func TestAResourceDoesNotReferToTheNextEntityOfAHandle(t *testing.T) {
	g := newGallery(t)
	known := map[repl.ID]repl.Slot{}
	g.come(known, 1, 2)
	require.NoError(t, g.get(g.crew("a", 1, 2, 3)))
	members := func() []ecs.Entity { return shownOf[crew](g).Members }
	one := members()[0]
	require.False(t, members()[1].IsZero())

	g.copy.applier.Begin(700, 700)
	g.copy.applier.Forget(known[repl.ID{Group: 2}])
	delete(known, repl.ID{Group: 2})
	require.NoError(t, g.mail.Advance(g.now))
	require.Equal(t, []ecs.Entity{one, {}, {}}, members())
	g.comeAs(known, repl.ID{Group: 2, Generation: 1}, repl.ID{Group: 3})
	require.NoError(t, g.mail.Advance(g.now))
	assert.Equal(t, []ecs.Entity{one, {}, g.copy.applier.Replicas.Entity(known[repl.ID{Group: 3}])}, members())
}

// The memory kept for missing entities is bounded, and released.
func TestKeptResourcesAreBounded(t *testing.T) {
	g := newGallery(t)
	g.copy.kept = MaxKeptResources - 10
	require.NoError(t, g.get(g.crew("a name that is longer than there is room for", 1)))
	assert.Equal(t, MaxKeptResources-10, g.copy.Kept())
	assert.Len(t, shownOf[crew](g).Members, 1)
	g.copy.kept = 0
	require.NoError(t, g.get(g.crew("again", 1)))
	assert.NotZero(t, g.copy.Kept())
	g.copy.Clear()
	assert.Zero(t, g.copy.Kept())
	assert.Nil(t, shownOf[crew](g))
}

// FuzzResources passes random bytes to a client as messages, while entities arrive. None of them
// panics.
//
// Proves: Z6
func FuzzResources(f *testing.F) {
	seed := newGallery(f)
	f.Add(seed.crew("hello", 1), seed.crew("again", 2, 1))
	f.Add([]byte{0, 0}, []byte{8})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		g := newGallery(t)
		known := map[repl.ID]repl.Slot{}
		g.come(known, 1)
		for _, body := range [][]byte{a, b} {
			if len(body) > channel.MaxMessage || g.get(body) != nil {
				break
			}
			require.LessOrEqual(t, g.copy.Kept(), len(a)+len(b))
		}
		g.come(known, 2)
		_ = g.mail.Advance(g.now)
		g.copy.Clear()
		require.Zero(t, g.copy.Kept())
	})
}
