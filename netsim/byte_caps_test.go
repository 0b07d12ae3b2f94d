package netsim_test

import (
	"fmt"
	"net/netip"
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

// The messages of a game in a capped network: unreliable ones in two priorities, and reliable ones.
type (
	often  struct{ Words [8]float32 }
	seldom struct{ Words [8]float32 }
	surely struct{ N uint32 }
)

func cappedProtocol() *protocol.Protocol {
	p := spotProtocol()
	protocol.Message[often](p).Mode(protocol.UnorderedUnreliable).Priority(10)
	protocol.Message[seldom](p).Mode(protocol.UnorderedUnreliable).Priority(5)
	protocol.Message[surely](p)
	return p
}

// gauge measures the bytes in one direction of a wire, as the level of a bucket that leaks at the
// rate of a cap. The level never exceeds the burst that the cap permits.
type gauge struct {
	rate        float64
	fill, most  float64
	bytes       int
	last, began time.Duration
}

func (g *gauge) count(at time.Duration, bytes int) {
	if g.bytes == 0 {
		g.began = at
	}
	g.fill = max(0, g.fill-g.rate*(at-g.last).Seconds()) + float64(bytes)
	g.most, g.last = max(g.most, g.fill), at
	g.bytes += bytes
}

// atOnce returns the highest level that is permitted for a number of connections.
func (g *gauge) atOnce(connections int) float64 { return g.rate/10 + 4096*float64(connections) }

// capped is a network in which messages are sent and entities move all the time.
type capped struct {
	sim      *netsim.Sim
	all      gauge
	down, up map[netip.AddrPort]*gauge
	received map[entangle.ClientID]map[string]int
	sure     map[entangle.ClientID][]uint32
	reliable []uint32 // received by the clients
	sent     uint32   // the number of the last reliable message that the server sent
	quiet    bool
	only     entangle.ClientID // the only client that gets messages, while nothing moves; Nobody: all clients get them
}

// party is the number of clients.
const party = 4

func newCapped(t *testing.T, loss float64, perClient, all, client, workers int) *capped {
	c := &capped{
		sim: netsim.New(t, netsim.Config{Seed: 5, Link: netsim.Symmetric(conditioner.Config{
			Latency: 40 * ms, Jitter: 20 * ms, Loss: loss,
		})}),
		down: map[netip.AddrPort]*gauge{}, up: map[netip.AddrPort]*gauge{},
		received: map[entangle.ClientID]map[string]int{}, sure: map[entangle.ClientID][]uint32{},
	}
	config := c.sim.ServerConfig(cappedProtocol())
	config.MaxClients, config.MaxBytesPerClient, config.MaxBytes, config.Workers = party, perClient, all, workers
	server := newServer(t, config)
	server.AddSystem(plugin.FixedMain, plugin.Func(c.sendAll))
	server.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
		read := plugin.NewReader[plugin.MessageReceived[surely]](w)
		return func() {
			for _, m := range read.Read() {
				c.reliable = append(c.reliable, m.Message.N)
			}
		}
	}))
	c.sim.AddServer(server, server)
	c.all.rate = float64(all)
	c.sim.Network().Tap(func(from, to netip.AddrPort, datagram []byte) {
		at := c.sim.Clock().Since()
		if from == server.Addrs()[0] {
			c.all.count(at, len(datagram))
			gaugeOf(c.down, to, perClient).count(at, len(datagram))
		} else {
			gaugeOf(c.up, from, client).count(at, len(datagram))
		}
	})
	for id := entangle.ClientID(1); id <= party; id++ {
		c.join(t, id, client)
	}
	return c
}

func gaugeOf(all map[netip.AddrPort]*gauge, addr netip.AddrPort, rate int) *gauge {
	if all[addr] == nil {
		all[addr] = &gauge{rate: float64(rate)}
	}
	return all[addr]
}

// sendAll moves 300 entities and sends several times as many bytes as the caps permit.
func (c *capped) sendAll(w *ecs.World) func() {
	spot := generic.NewMap2[Spot, components.Replicate](w)
	for range 300 {
		spot.New()
	}
	filter := generic.NewFilter1[Spot]()
	a, b, s := plugin.NewSender[often](w), plugin.NewSender[seldom](w), plugin.NewSender[surely](w)
	n := uint32(0)
	return func() {
		if c.quiet {
			return
		}
		if c.only != entangle.Nobody {
			for range 300 {
				_ = a.SendTo(c.only, often{})
			}
			return
		}
		for q := filter.Query(w); q.Next(); {
			q.Get().X++
		}
		for range 10 {
			_ = a.Send(components.Everyone, often{})
			_ = b.Send(components.Everyone, seldom{})
		}
		if n++; n%20 == 0 {
			c.sent = n
			_ = s.Send(components.Everyone, surely{n})
		}
	}
}

func (c *capped) join(t *testing.T, id entangle.ClientID, limit int) {
	config := c.sim.ClientConfig(cappedProtocol())
	config.MaxBytes = limit
	client := newClient(t, config)
	c.received[id] = map[string]int{}
	client.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
		a, b := plugin.NewReader[plugin.MessageReceived[often]](w), plugin.NewReader[plugin.MessageReceived[seldom]](w)
		s := plugin.NewReader[plugin.MessageReceived[surely]](w)
		answer, filler := plugin.NewSender[surely](w), plugin.NewSender[often](w)
		return func() {
			c.received[id]["often"] += len(a.Read())
			c.received[id]["seldom"] += len(b.Read())
			for _, m := range s.Read() {
				c.sure[id] = append(c.sure[id], m.Message.N)
				_ = answer.Send(components.Server, surely{uint32(id)<<24 | m.Message.N})
			}
			for range 20 {
				if !c.quiet {
					_ = filler.Send(components.Server, often{})
				}
			}
		}
	}))
	c.sim.AddClient(id, client, client)
}

// Caps are kept on a good line and on a bad one: in no interval are more bytes sent than the rate
// and the permitted burst allow. The caps are also used up. Messages of priority 10 are sent about
// twice as often as those of priority 5, reliable messages arrive, and in the end all clients show
// the same world.
//
// Proves: P12, P13
func TestCapsBindAndAreShared(t *testing.T) {
	for _, loss := range []float64{0, 0.2} {
		for name, caps := range map[string][3]int{
			"per client": {20_000, 0, 20_000}, "all": {0, 80_000, 20_000}, "both": {18_000, 80_000, 16_000},
		} {
			t.Run(fmt.Sprintf("%s, loss %v", name, loss), func(t *testing.T) {
				testCaps(t, loss, caps[0], caps[1], caps[2])
			})
		}
	}
}

func testCaps(t *testing.T, loss float64, perClient, all, client int) {
	c := newCapped(t, loss, perClient, all, client, 1)
	c.sim.Run(20 * time.Second)
	stats := c.sim.Server().Stats()
	c.quiet = true
	assert.True(t, c.sim.RunUntil(15*time.Second, func() bool { return c.sim.Equal() == nil && c.allArrived() }), "the worlds are equal")
	t.Logf("heard %v, dropped %d", c.received, stats.MessagesDropped)
	if all > 0 && perClient == 0 {
		checkGauge(t, "all", &c.all, party)
	}
	for addr, g := range c.down {
		if perClient > 0 && (all == 0 || perClient < all/party) {
			checkGauge(t, addr.String(), g, 1)
		}
	}
	for addr, g := range c.up {
		checkGauge(t, addr.String(), g, 1)
	}
	for _, received := range c.received {
		assert.InEpsilon(t, 2, float64(received["often"])/float64(received["seldom"]), 0.15)
		assert.Greater(t, received["seldom"], 500)
	}
	assert.Positive(t, stats.MessagesDropped)
	for _, p := range c.sim.Peers() {
		assert.Positive(t, p.Client().Stats().MessagesDropped)
	}
}

// A client that needs less than an equal share of the cap on all clients leaves the rest to clients
// that need more, whichever clients these are, and the cap is still kept.
//
// Proves: P12
func TestTheUnusedPartOfACapGoesToOtherClients(t *testing.T) {
	for only := entangle.ClientID(1); only <= party; only += party - 1 {
		c := newCapped(t, 0, 0, 80_000, 0, 1)
		c.only = only
		c.sim.Run(5 * time.Second)
		before := c.all.bytes
		c.sim.Run(10 * time.Second)
		assert.LessOrEqual(t, c.all.most, c.all.atOnce(party), "to client %d", only)
		assert.GreaterOrEqual(t, float64(c.all.bytes-before)/10, 0.85*c.all.rate, "to client %d", only)
	}
}

// allArrived reports whether all reliable messages have arrived in both directions.
func (c *capped) allArrived() bool {
	answers := 0
	for _, got := range c.sure {
		if answers += len(got); len(got) == 0 || got[len(got)-1] != c.sent {
			return false
		}
	}
	return answers == len(c.reliable)
}

func checkGauge(t *testing.T, name string, g *gauge, connections int) {
	t.Helper()
	assert.LessOrEqual(t, g.most, g.atOnce(connections), "%s: the cap does not bind", name)
	assert.GreaterOrEqual(t, float64(g.bytes)/20, 0.85*g.rate, "%s: the cap is not used", name)
}

// Under a cap, the bytes are the same for any number of goroutines that write the packets.
func TestWorkersChangeNoByteUnderACap(t *testing.T) {
	sent := func(workers int) []string {
		c := newCapped(t, 0.1, 20_000, 70_000, 0, workers)
		log := recordDatagrams(c.sim)
		c.sim.Run(2 * time.Second)
		return log.all
	}
	requireSameDatagrams(t, sent(1), sent(2), "two workers")
}

// A cap that is never reached changes no byte. By default there is no cap.
//
// Proves: P12
func TestACapThatIsNotReachedChangesNothing(t *testing.T) {
	sent := func(perClient, all int) []string {
		c := newCapped(t, 0.1, perClient, all, perClient, 1)
		log := recordDatagrams(c.sim)
		c.sim.Run(2 * time.Second)
		return log.all
	}
	want := sent(0, 0)
	for _, caps := range [][2]int{{plugin.MostBytes, 0}, {0, plugin.MostBytes}} {
		requireSameDatagrams(t, want, sent(caps[0], caps[1]), fmt.Sprintf("caps %v", caps))
	}
}

type largeMessage struct{ Text [40]float32 }

// A cap on all clients is shared equally among the clients that need more than their share, whether
// they receive many small messages or few large ones. Clients that need little leave the rest to
// them.
func TestACapOnAllIsSharedEqually(t *testing.T) {
	const cap = 64_000
	register := func() *protocol.Protocol {
		p := spotProtocol()
		protocol.Message[often](p).Mode(protocol.UnorderedUnreliable)
		protocol.Message[largeMessage](p).Mode(protocol.UnorderedUnreliable)
		return p
	}
	sim := netsim.New(t, netsim.Config{Seed: 5})
	config := sim.ServerConfig(register())
	config.MaxClients, config.MaxBytes = 3, cap
	server := newServer(t, config)
	server.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		small, large := plugin.NewSender[often](w), plugin.NewSender[largeMessage](w)
		return func() {
			_ = small.SendTo(3, often{})
			for range 30 {
				_ = small.SendTo(2, often{})
				_ = large.SendTo(1, largeMessage{})
			}
		}
	}))
	sim.AddServer(server, server)
	bytes := map[netip.AddrPort]int{}
	sim.Network().Tap(func(_, to netip.AddrPort, datagram []byte) { bytes[to] += len(datagram) })
	var to [4]netip.AddrPort
	for id := entangle.ClientID(1); id <= 3; id++ {
		c := newClient(t, sim.ClientConfig(register()))
		p := sim.AddClient(id, c, c)
		require.True(t, sim.RunUntil(time.Second, p.Connected))
	}
	for _, c := range sim.Server().Clients() {
		to[c.ID] = c.Addr
	}
	clear(bytes)
	sim.Run(20 * time.Second)
	t.Log(bytes[to[1]], bytes[to[2]], bytes[to[3]])
	assert.InEpsilon(t, bytes[to[1]], bytes[to[2]], 0.05)
	assert.InEpsilon(t, 20*cap, bytes[to[1]]+bytes[to[2]]+bytes[to[3]], 0.05)
	assert.Greater(t, bytes[to[1]], 3*bytes[to[3]]/2)
}

// If all entities change in every tick and a cap does not allow sending all changes, the entities
// are sent by priority: an entity of priority 10 twice as often as one of 5, and one of priority 1
// rarely. When they stop, all clients show the last value of each.
//
// Proves: P13, R36
func TestEntitiesShareACapByPriority(t *testing.T) {
	for _, loss := range []float64{0, 0.2} {
		sim := netsim.New(t, netsim.Config{Seed: 5, Link: netsim.Symmetric(conditioner.Config{Latency: 30 * ms, Loss: loss})})
		config := sim.ServerConfig(spotProtocol())
		config.MaxBytesPerClient = 20_000
		server := newServer(t, config)
		still := false
		server.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
			m := generic.NewMap2[Spot, components.Replicate](w)
			for _, priority := range []float32{10, 5, 1} {
				for range 300 {
					m.NewWith(&Spot{Y: int8(priority)}, &components.Replicate{Priority: priority})
				}
			}
			filter := generic.NewFilter1[Spot]()
			return func() {
				if still {
					return
				}
				for q := filter.Query(w); q.Next(); {
					q.Get().X++
				}
			}
		}))
		sim.AddServer(server, server)
		client := newClient(t, sim.ClientConfig(spotProtocol()))
		reported := map[int8]int{}
		client.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
			read := plugin.NewReader[plugin.ComponentUpdated[Spot]](w)
			return func() {
				for _, e := range read.Read() {
					if w.Alive(e.Entity) {
						reported[spotOf(w, e.Entity).Y]++
					}
				}
			}
		}))
		sim.AddClient(1, client, client)
		require.True(t, sim.RunUntil(20*time.Second, func() bool { return client.Stats().Entities == 900 }))
		clear(reported)
		sim.Run(20 * time.Second)
		t.Log(reported)
		assert.InEpsilon(t, 2, float64(reported[10])/float64(reported[5]), 0.15)
		assert.InEpsilon(t, 5, float64(reported[5])/float64(reported[1]), 0.3)
		still = true
		sim.Run(5 * time.Second)
		sim.ExpectEqual()
	}
}
