package message

import (
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/sink"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type tide struct{ Height int32 }

type swell struct { // rolls back
	Height int32
	Of     ecs.Entity
}

type load0 struct {
	Bytes []byte `net:"max=100000"`
}

type (
	load1 load0
	load2 load0
	load3 load0
)

type crew struct {
	Name    string
	Members []ecs.Entity `net:"max=5000"`
}

// gallery is the resources of a server and of one client, and the connection between them.
type gallery struct {
	t         testing.TB
	world     *ecs.World
	shown     *ecs.World
	resources *Resources
	line      SentResources
	copy      *ResourceCopy
	mail      *Inbox
	server    *peer.Peer
	client    *peer.Peer

	now  time.Time
	tick entangle.Tick
	loss float64
	rng  *rand.Rand
}

func resourceProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "gallery"})
	protocol.Resource[tide](p)
	protocol.Resource[swell](p).Rollback()
	protocol.Resource[crew](p)
	protocol.Resource[load0](p)
	protocol.Resource[load1](p)
	protocol.Resource[load2](p)
	protocol.Resource[load3](p)
	return p
}

func newGallery(t testing.TB) *gallery {
	p := resourceProtocol()
	require.NoError(t, registry.Seal(p))
	world, shown := ecs.NewWorld(), ecs.NewWorld()
	g := &gallery{t: t, world: &world, shown: &shown, now: time.Unix(100, 0), rng: rand.New(rand.NewPCG(1, 2))}
	collector, err := source.NewCollector(g.world, registry.Of(p).Components, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	g.resources = NewResources(g.world, registry.Of(p).Resources, collector, slog.New(slog.DiscardHandler))
	g.line = g.resources.NewSentResources()
	hub := event.NewHub()
	applier := sink.NewApplier(g.shown, hub, nil, func(ecs.Entity) {}, func(ecs.Entity) {})
	g.copy = NewResourceCopy(g.shown, hub, registry.Of(p).Resources, applier)
	post, known := NewPost(p, false), receiver.New(applier, 0)
	g.mail = post.NewInbox(entangle.Nobody, known.Slot)
	post.Attach(g.shown, hub, nil, applier)
	g.mail.Resources = g.copy
	g.server, err = peer.New(peer.Config{Registry: NewRegistry(p, true), World: collector.World, OnResource: g.line.Delivered})
	require.NoError(t, err)
	g.client, err = peer.New(peer.Config{Registry: NewRegistry(p, false), Receiver: known, Inbox: g.mail})
	require.NoError(t, err)
	g.run(10)
	require.True(t, g.server.Open())
	return g
}

func (g *gallery) run(steps int) {
	for range steps {
		g.now = g.now.Add(time.Second / 60)
		g.tick++
		require.NoError(g.t, g.resources.collector.Observe(g.tick))
		g.resources.Observe()
		if g.server.Open() {
			require.NoError(g.t, g.resources.Send(g.server, 1, &g.line, g.now))
		}
		require.LessOrEqual(g.t, g.server.ResourceBytes(), peer.MaxResourceBytes)
		g.carry(g.server, g.client)
		g.carry(g.client, g.server)
		require.NoError(g.t, g.mail.Advance(g.now))
	}
}

func (g *gallery) carry(from, to *peer.Peer) {
	require.NoError(g.t, from.Begin(g.now))
	for b := from.AppendPacket(nil, g.tick, g.now); len(b) > 0; b = from.AppendPacket(nil, g.tick, g.now) {
		if g.rng.Float64() >= g.loss {
			require.NoError(g.t, to.HandlePayload(b, g.now))
		}
	}
}

func share[T any](g *gallery, v *T) *T {
	ecs.AddResource(g.world, v)
	require.True(g.t, g.resources.Replicate(g.typeOf(v), components.Everyone))
	return v
}

func shownOf[T any](g *gallery) *T {
	v, _ := g.shown.Resources().Get(ecs.ResourceID[T](g.shown)).(*T)
	return v
}

// While a client acknowledges nothing, one value of a resource is in flight to it, however often the
// resource changes. It gets the newest value as soon as it acknowledges again.
//
// Proves: R29
func TestOneValueOfAResourceIsUnderWay(t *testing.T) {
	g := newGallery(t)
	now := share(g, &tide{Height: 1})
	g.loss = 1
	for range 300 {
		now.Height++
		g.run(1)
	}
	assert.EqualValues(t, 1, g.resources.Stats().Sent)
	assert.EqualValues(t, 300, g.resources.Stats().Changed)
	assert.Less(t, g.server.ResourceBytes(), 20)
	require.Nil(t, shownOf[tide](g))
	g.loss = 0
	g.run(30)
	assert.Equal(t, tide{Height: 301}, *shownOf[tide](g))
	assert.EqualValues(t, 2, g.resources.Stats().Sent)
}

// If more resources change than may be in flight, each gets its turn, and the channel never holds more
// than its limit.
//
// Proves: R29
func TestLargeResourcesTakeTurns(t *testing.T) {
	g := newGallery(t)
	g.loss = 0.3
	long := func(n byte) []byte { return append(make([]byte, 59_999), n) }
	share(g, &load0{long(0)})
	share(g, &load1{long(1)})
	share(g, &load2{long(2)})
	share(g, &load3{long(3)})
	now := share(g, &tide{})
	for range 600 {
		now.Height++
		g.run(1)
	}
	g.loss = 0
	g.run(60)
	assert.Equal(t, load0{long(0)}, *shownOf[load0](g))
	assert.Equal(t, load1{long(1)}, *shownOf[load1](g))
	assert.Equal(t, load2{long(2)}, *shownOf[load2](g))
	assert.Equal(t, load3{long(3)}, *shownOf[load3](g))
	assert.Equal(t, *now, *shownOf[tide](g))
	assert.Zero(t, g.server.ResourceBytes())
}

// A reliable queue that is half full of other messages takes no resource, so that no client is
// disconnected because of one.
func TestAResourceWaitsForACrowdedClient(t *testing.T) {
	g := newGallery(t)
	g.loss = 1
	for !g.server.Crowded() {
		require.NoError(t, g.server.Send(peer.FirstMessages, make([]byte, 10_000), 0, g.now))
	}
	share(g, &tide{Height: 1})
	g.run(10)
	assert.Zero(t, g.resources.Stats().Sent)
}

// Under packet loss, removals and new values of a resource apply in the order of the server.
func TestRemovalsOfResourcesKeepTheirOrder(t *testing.T) {
	g := newGallery(t)
	g.loss = 0.5
	now := share(g, &tide{})
	id := ecs.ResourceID[tide](g.world)
	for range 500 {
		switch g.rng.IntN(4) {
		case 0:
			if g.world.Resources().Has(id) {
				g.world.Resources().Remove(id)
			}
		case 1:
			if !g.world.Resources().Has(id) {
				g.world.Resources().Add(id, now)
			}
		default:
			now.Height++
		}
		g.run(1)
	}
	g.loss = 0
	g.run(60)
	assert.Equal(t, g.world.Resources().Has(id), shownOf[tide](g) != nil)
	if v := shownOf[tide](g); v != nil {
		assert.Equal(t, *now, *v)
	}
}

// If replication of a resource is stopped and started again, its value is sent as of the next
// observation, not with its value before the stop, however often it is started before that. A
// resource that was not stopped does not wait for an observation.
//
// Proves: R29
func TestAStartedResourceIsSentAsItIsThen(t *testing.T) {
	g := newGallery(t)
	now := share(g, &tide{Height: 1})
	g.run(10)
	require.EqualValues(t, 1, g.resources.Stats().Sent)
	sent := func() uint64 { // the value that a client gets that connects now
		before, line := g.resources.Stats().Sent, g.resources.NewSentResources()
		require.NoError(t, g.resources.Send(g.server, 1, &line, g.now))
		return g.resources.Stats().Sent - before
	}
	start := func() { require.True(t, g.resources.Replicate(g.typeOf(now), components.Everyone)) }

	require.True(t, g.resources.Stop(g.typeOf(now)))
	now.Height = 2
	start()
	start()
	assert.Zero(t, sent(), "the value of before")
	g.resources.Observe()
	start()
	assert.EqualValues(t, 1, sent(), "it was observed since")
	g.run(10)
	assert.Equal(t, tide{Height: 2}, *shownOf[tide](g))
}

// A value with more entities than a table holds is refused, whether or not they are replicated.
func TestAResourceOfTooManyEntitiesIsRefused(t *testing.T) {
	g := newGallery(t)
	marker := ecs.ComponentID[components.Replicate](g.world)
	c := share(g, &crew{})
	for range MaxRefs {
		c.Members = append(c.Members, g.world.NewEntity(marker))
	}
	var sent []error
	g.resources.OnRefused(func(_ *registry.Resource, err error) { sent = append(sent, err) })
	g.run(1)
	assert.Empty(t, sent)
	c.Members = append(c.Members, c.Members[0], ecs.Entity{}, g.world.NewEntity())
	g.run(5)
	require.Len(t, sent, 1)
	assert.ErrorIs(t, sent[0], ErrLargeResource)
	assert.ErrorContains(t, sent[0], "more than 4096 entities")
	c.Members = c.Members[:len(c.Members)-1]
	g.run(60)
	assert.Len(t, sent, 1)
	assert.Len(t, shownOf[crew](g).Members, MaxRefs+2)
}
