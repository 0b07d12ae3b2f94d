package cases

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/sockets"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/udp"
)

// serverGame is a complete server and complete clients, which exchange packets over loopback.
type serverGame struct {
	cfg      sceneConfig
	now      time.Time
	server   *plugin.Server
	world    *ecs.World
	pose     ecs.ID
	entities []ecs.Entity
	poses    workload.Poses
	walkers  *workload.Walkers // the poses, if there is a grid
	round    int

	socket  *udp.Conn // of the server
	sent    uint64    // datagrams to it
	before  uint64    // bytes that it had sent before its last frame
	conns   []*serverConn
	clients []*plugin.Client
	worlds  []*ecs.World // of the clients
	err     error
}

// newServerGame returns a game in which each client has all entities that it sees.
func newServerGame(cfg sceneConfig) (*serverGame, error) {
	g := &serverGame{cfg: cfg, now: time.Unix(1_800_000_000, 0), poses: workload.ScenePoses}
	if cfg.grid {
		g.walkers = workload.NewWalkers(cfg.entities, cfg.percent)
		g.poses = g.walkers
	}
	if err := g.start(); err != nil {
		g.stop()
		return nil, err
	}
	return g, nil
}

// serverMessage is what a player sends in every tick.
type serverMessage struct{ Buttons uint8 }

func (g *serverGame) protocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "server benchmark", TickRate: workload.TickRate})
	protocol.Component[workload.Pose](p)
	protocol.Message[serverMessage](p).Mode(protocol.UnorderedUnreliable).Direction(protocol.ClientToServer)
	return p
}

func (g *serverGame) clock() time.Time { return g.now }

func (g *serverGame) start() (err error) {
	g.server, err = plugin.NewServer(plugin.ServerConfig{
		Protocol: g.protocol(), MaxClients: g.cfg.clients, MaxWorkPerClient: -1, Clock: g.clock, Workers: 1,
	})
	if err != nil {
		return err
	}
	if g.cfg.grid {
		g.server.AddSystem(plugin.BeforeSend, plugin.NewGrid(
			plugin.GridConfig{Radius: workload.WalkSight, Hysteresis: workload.GridHysteresis, Cell: workload.GridCell},
			func(p *workload.Pose) (x, y float32) { return p.Pos[0], p.Pos[1] }))
	}
	g.server.AddSystem(plugin.FixedMain, plugin.Func(readServerMessages))
	w := ecs.NewWorld(g.cfg.entities)
	g.world, g.pose = &w, ecs.ComponentID[workload.Pose](&w)
	g.server.Initialize(g.world)
	if err := g.server.Start(g); err != nil {
		return err
	}
	g.populate()
	for i := range g.cfg.clients {
		if err := g.connect(i); err != nil {
			return fmt.Errorf("client %d: %w", i, err)
		}
	}
	return g.settle()
}

// Listen implements transport.Listener.
func (g *serverGame) Listen() (transport.Conn, error) {
	conn, err := udp.Listener{Addr: "127.0.0.1:0"}.Listen()
	if err == nil {
		g.socket = conn.(*udp.Conn)
	}
	return conn, err
}

// readServerMessages is a system that reads the players' messages.
func readServerMessages(w *ecs.World) func() {
	messages := plugin.NewReader[plugin.MessageReceived[serverMessage]](w)
	return func() { messages.Read() }
}

// sendServerMessage is a system of a client that sends its player's message.
func (g *serverGame) sendServerMessage(w *ecs.World) func() {
	sender := plugin.NewSender[serverMessage](w)
	return func() {
		if err := sender.Send(components.Server, serverMessage{Buttons: 1}); !errors.Is(err, plugin.ErrNotConnected) {
			g.fail(err)
		}
	}
}

func (g *serverGame) populate() {
	marker := ecs.ComponentID[components.Replicate](g.world)
	for range g.cfg.entities {
		e := g.world.NewEntity(marker, g.pose)
		if g.cfg.grid {
			(*components.Replicate)(g.world.Get(e, marker)).Relevance = components.ByInterest
		}
		g.entities = append(g.entities, e)
	}
	for client := range g.cfg.clients {
		if g.cfg.grid {
			becomeViewer(g.world, g.entities[workload.ViewerOf(client, g.cfg.clients)], client)
		}
	}
	g.move(100)
}

func (g *serverGame) connect(i int) error {
	c, err := plugin.NewClient(plugin.ClientConfig{Protocol: g.protocol(), Clock: g.clock})
	if err != nil {
		return err
	}
	c.AddSystem(plugin.FixedMain, plugin.Func(g.sendServerMessage))
	w := ecs.NewWorld()
	c.Initialize(&w)
	t, err := c.DevToken(g.socket.LocalAddr(), workload.ClientID(i))
	if err != nil {
		return err
	}
	conn := &serverConn{}
	if err := c.Connect(conn, t); err != nil {
		return err
	}
	g.conns, g.clients, g.worlds = append(g.conns, conn), append(g.clients, c), append(g.worlds, &w)
	return nil
}

// settle runs ticks until all clients have joined, and some more for their clocks.
func (g *serverGame) settle() error {
	for joined := 0; joined < sceneSettle; {
		g.between(0)
		g.answer()
		g.serverFrame()
		if g.err != nil || g.joined() && joined > sceneQuiet/4 {
			return g.err
		}
		joined++
	}
	return fmt.Errorf("the clients did not join within %d ticks", sceneSettle)
}

func (g *serverGame) joined() bool {
	for _, c := range g.clients {
		if !c.Joined() {
			return false
		}
	}
	return true
}

// between runs the clients' frames of a tick, and begins the next tick. The clients' packets stay in
// their queues.
func (g *serverGame) between(percent int) {
	for _, c := range g.clients {
		c.Step(g.now)
	}
	g.now = g.now.Add(time.Second / workload.TickRate)
	g.move(percent)
}

// move moves percent % of the entities.
func (g *serverGame) move(percent int) {
	g.round++
	for i, e := range g.entities {
		if percent == 100 || percent > 0 && report.Chosen(i, g.round, percent) {
			*(*workload.Pose)(g.world.Get(e, g.pose)) = *g.poses.At(i, g.round)
		}
	}
}

// answer sends what the clients have queued.
func (g *serverGame) answer() {
	for _, c := range g.conns {
		for b := range c.queued.Each {
			g.fail(c.socket.Write(b))
			g.sent++
		}
		c.queued.Reset()
	}
}

// serverFrame runs a frame of the server, after all packets to it have arrived.
func (g *serverGame) serverFrame() {
	for tries := 0; g.arrived() < g.sent; tries++ {
		if tries > serverPatience {
			g.fail(fmt.Errorf("%d of %d packets have arrived", g.arrived(), g.sent))
			return
		}
		time.Sleep(20 * time.Microsecond) // lets the server's goroutine read
	}
	g.before = g.socket.Stats().SentBytes
	g.server.Step(g.now)
}

// serverPatience is how many pauses a frame makes at most.
const serverPatience = 100_000

// arrived returns how many datagrams the server has read.
func (g *serverGame) arrived() uint64 {
	s := g.socket.Stats()
	return s.Received + s.QueueFull + s.ClientFull + s.BadSize + s.BadForm + s.Stranger
}

// size returns the bytes that the server has sent in its last frame.
func (g *serverGame) size() int { return int(g.socket.Stats().SentBytes - g.before) }

func (g *serverGame) fail(err error) {
	if g.err == nil {
		g.err = err
	}
}

func (g *serverGame) stop() {
	if g.socket != nil {
		_ = g.server.Stop()
	}
	for _, c := range g.conns {
		_ = c.Close()
	}
}

// serverConn is a client's end. It queues what the client sends, until the game sends it.
type serverConn struct {
	socket *sockets.Socket
	server netip.AddrPort
	queued workload.Packets
	closed bool
}

// Dial implements transport.Dialer.
func (c *serverConn) Dial(server netip.AddrPort) (_ transport.Conn, err error) {
	if c.socket, err = sockets.Open(udp.DefaultDialerBuffer); err != nil {
		return nil, err
	}
	c.server = server
	return c, c.socket.Connect(server)
}

// LocalAddr implements transport.Conn.
func (c *serverConn) LocalAddr() netip.AddrPort { return c.socket.Addr }

// Receive implements transport.Conn.
func (c *serverConn) Receive(buf []byte) (int, netip.AddrPort, error) {
	if n, ok := c.socket.Read(buf[:min(len(buf), entangle.MaxDatagram)]); ok {
		return n, c.server, nil
	}
	return 0, netip.AddrPort{}, transport.ErrEmpty
}

// Send implements transport.Conn.
func (c *serverConn) Send(batch []transport.Datagram) (int, error) {
	for _, d := range batch {
		c.queued.Add(append(c.queued.Data, d.Data...))
	}
	return len(batch), nil
}

// Close implements transport.Conn.
func (c *serverConn) Close() error {
	if c.socket == nil || c.closed {
		return nil
	}
	c.closed = true
	return c.socket.Close()
}
