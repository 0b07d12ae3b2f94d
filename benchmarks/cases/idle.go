package cases

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/memory"
	"github.com/entangle-ecs/entangle/transport/token"
)

// The case idle has 1,000 entities that do not change, and 100 clients that send nothing of their
// own. Everything is included: plugin.Server and plugin.Client over a network in memory, on a clock
// that advances by a tick per round. One operation is a frame of the server. In place of the limit
// there is a frame of a server with the same world and no client; this comparison has no goal. The
// goals are for a client's packets per second, keep-alives of the session included, and for the
// bytes in them before they are sealed. Each direction has a line of its own.
const (
	idleEntities = 1_000
	idleClients  = 100
	idleRounds   = 600 // 10 s
	idleSettle   = 300 // frames from the first connection until no packets but keep-alives are sent
)

func idleVariants() []report.Variant {
	at := func(name, unit string, goal float64, figure func(*idleGame) float64) report.Variant {
		return report.Variant{Name: "idle/" + name, Unit: unit, Goal: goal, Rounds: idleRounds, Prepare: func() (report.Sides, error) {
			return idlePrepare(figure)
		}}
	}
	return []report.Variant{
		at("frame", "", 0, nil),
		at("packets-out", "packets/s", 12, func(g *idleGame) float64 { return g.rate(&g.out) }),
		at("packets-in", "packets/s", 12, func(g *idleGame) float64 { return g.rate(&g.in) }),
		at("bytes-out", "bytes/packet", 14, func(g *idleGame) float64 { return g.out.mean() }),
		at("bytes-in", "bytes/packet", 14, func(g *idleGame) float64 { return g.in.mean() }),
	}
}

func idlePrepare(figure func(*idleGame) float64) (report.Sides, error) {
	g := &idleGame{now: time.Unix(1_000_000, 0), key: token.NewKey(), network: memory.NewNetwork()}
	if err := g.start(); err != nil {
		return report.Sides{}, err
	}
	for range idleSettle {
		g.others()
		g.server.Step(g.now)
	}
	g.in, g.out, g.since = idleTraffic{}, idleTraffic{}, g.now
	s := report.Sides{
		Before: g.others,
		Ours:   func() { g.server.Step(g.now) },
		Limit:  func() { g.lonely.Step(g.now) },
		Verify: g.verify,
		Close:  g.stop,
	}
	if figure != nil {
		s.Figure = func() float64 { return figure(g) }
	}
	return s, nil
}

// idleGame is a server and its clients.
type idleGame struct {
	now     time.Time
	since   time.Time // the time at which counting began
	key     token.Key
	network *memory.Network

	server, lonely *plugin.Server
	clients        []*plugin.Client
	in, out        idleTraffic // of all clients, in and out as seen from the server
}

const idleName = "idle benchmark"

func (g *idleGame) start() (err error) {
	if g.server, err = g.newServer(); err != nil {
		return err
	}
	if g.lonely, err = g.newServer(); err != nil {
		return err
	}
	for id := range entangle.ClientID(idleClients) {
		if err := g.connectClient(id + 1); err != nil {
			return err
		}
	}
	return nil
}

func (g *idleGame) protocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: idleName})
	protocol.Component[workload.Place](p)
	return p
}

func (g *idleGame) clock() time.Time { return g.now }

func (g *idleGame) newServer() (*plugin.Server, error) {
	s, err := plugin.NewServer(plugin.ServerConfig{Protocol: g.protocol(), Key: g.key, MaxClients: idleClients, Clock: g.clock})
	if err != nil {
		return nil, err
	}
	w := ecs.NewWorld(idleEntities)
	s.Initialize(&w)
	for range idleEntities {
		w.NewEntity(ecs.ComponentID[components.Replicate](&w), ecs.ComponentID[workload.Place](&w))
	}
	return s, s.Start(idleEnd{listener: g.network.Listener(), count: &g.out})
}

func (g *idleGame) connectClient(id entangle.ClientID) error {
	c, err := plugin.NewClient(plugin.ClientConfig{Protocol: g.protocol(), Clock: g.clock})
	if err != nil {
		return err
	}
	w := ecs.NewWorld(idleEntities)
	c.Initialize(&w)
	g.clients = append(g.clients, c)
	t, err := plugin.MintToken(g.key, idleName, token.Claims{ClientID: id, Servers: g.server.Addrs(), Now: g.now})
	if err != nil {
		return err
	}
	return c.Connect(idleEnd{dialer: g.network.Dialer(), count: &g.in}, t)
}

// others advances the clock by a tick, and runs the frames of the clients.
func (g *idleGame) others() {
	g.now = g.now.Add(time.Second / time.Duration(g.server.TickRate()))
	for _, c := range g.clients {
		c.Step(g.now)
	}
}

// rate returns the packets per second and client.
func (g *idleGame) rate(t *idleTraffic) float64 {
	return float64(t.packets) / g.now.Sub(g.since).Seconds() / idleClients
}

func (g *idleGame) verify() error {
	if n := len(g.server.Clients()); n != idleClients {
		return fmt.Errorf("%d clients are connected", n)
	}
	for _, c := range g.clients {
		if n := c.Stats().Entities; n != idleEntities {
			return fmt.Errorf("a client has %d entities", n)
		}
	}
	return nil
}

func (g *idleGame) stop() {
	for _, s := range []*plugin.Server{g.server, g.lonely} {
		_ = s.Stop()
	}
}

// idleTraffic counts packets, and their bytes before they were sealed.
type idleTraffic struct{ packets, bytes int }

func (t *idleTraffic) mean() float64 { return float64(t.bytes) / float64(max(t.packets, 1)) }

// addPacket counts a sealed packet. Sealing puts a byte before the body and a tag after it. The
// high half of that byte is the number of sequence bytes that follow it.
func (t *idleTraffic) addPacket(packet []byte) {
	t.packets++
	t.bytes += len(packet) - 1 - int(packet[0]>>4) - token.TagSize
}

// idleEnd opens ends of a network in memory, and counts the bytes that they send.
type idleEnd struct {
	listener *memory.Listener
	dialer   *memory.Dialer
	count    *idleTraffic
}

func (e idleEnd) Listen() (transport.Conn, error) {
	conn, err := e.listener.Listen()
	return idleConn{conn, e.count}, err
}

func (e idleEnd) Dial(server netip.AddrPort) (transport.Conn, error) {
	conn, err := e.dialer.Dial(server)
	return idleConn{conn, e.count}, err
}

type idleConn struct {
	transport.Conn
	count *idleTraffic
}

func (c idleConn) Send(batch []transport.Datagram) (int, error) {
	for i := range batch {
		c.count.addPacket(batch[i].Data)
	}
	return c.Conn.Send(batch)
}
