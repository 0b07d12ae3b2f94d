package plugin_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/entangle-ecs/entangle/transport/memory"
	"github.com/entangle-ecs/entangle/transport/token"
)

type spot struct{ X, Y float32 }

type name struct{ ID uint32 }

type flag struct{}

type private struct{ Secret uint32 }

type chat struct {
	Text string
	Who  ecs.Entity
}

type steer struct{ DX, DY int8 }

type sum struct{ A, B int32 }

type total struct{ Of int32 }

// writeWhole writes an unsigned number below 260 as plans do.
func writeWhole(w *bits.Writer, n uint64) {
	if n < 4 {
		w.Bits(n<<2, 4)
		return
	}
	w.Bits((n-4)<<2|1, 10)
}

// register registers the types that a game shares between its server and its clients.
func register(p *protocol.Protocol) *protocol.Protocol {
	protocol.Component[spot](p)
	protocol.Component[name](p)
	protocol.Component[flag](p)
	protocol.Message[chat](p).Relay()
	protocol.Message[steer](p).Mode(protocol.SequencedUnreliable)
	protocol.Request[sum, total](p)
	protocol.Resource[board](p)
	protocol.Resource[weather](p)
	protocol.Resource[pile](p)
	return p
}

func testProtocol() *protocol.Protocol {
	return register(protocol.New(protocol.Config{Name: "plugin test"}))
}

// game is a server and its clients in one process, with a clock that a test advances.
type game struct {
	strict  bool // whether joining clients are strict
	t       testing.TB
	now     time.Time
	network *memory.Network
	place   *memory.Listener
	server  *plugin.Server
	world   *ecs.World
	clients []*player
	key     token.Key
}

type player struct {
	*plugin.Client
	world *ecs.World
}

func newGame(t testing.TB, systems ...func(*plugin.Server)) *game {
	return newGameWith(t, func(*plugin.ServerConfig) {}, systems...)
}

func newGameWith(t testing.TB, adjust func(*plugin.ServerConfig), systems ...func(*plugin.Server)) *game {
	g := &game{t: t, now: time.Unix(1_000_000, 0), network: memory.NewNetwork()}
	g.key = token.NewKey()
	g.place = g.network.Listener()
	config := plugin.ServerConfig{Protocol: testProtocol(), Clock: g.clock, Key: g.key, MaxClients: 8}
	adjust(&config)
	server, err := plugin.NewServer(config)
	require.NoError(t, err)
	for _, add := range systems {
		add(server)
	}
	w := ecs.NewWorld()
	g.server, g.world = server, &w
	server.Initialize(&w)
	require.NoError(t, server.Start(g.place))
	return g
}

func (g *game) clock() time.Time { return g.now }

// join adds a client and starts to connect it to the server.
func (g *game) join(id entangle.ClientID, systems ...func(*plugin.Client)) *player {
	return g.joinWith(testProtocol(), id, systems...)
}

func (g *game) joinWith(p *protocol.Protocol, id entangle.ClientID, systems ...func(*plugin.Client)) *player {
	c, err := plugin.NewClient(plugin.ClientConfig{Protocol: p, Clock: g.clock, Strict: g.strict})
	require.NoError(g.t, err)
	for _, add := range systems {
		add(c)
	}
	w := ecs.NewWorld()
	c.Initialize(&w)
	joined := &player{Client: c, world: &w}
	g.clients = append(g.clients, joined)
	g.connect(joined, id)
	return joined
}

func (g *game) connect(p *player, id entangle.ClientID) {
	t, err := plugin.MintToken(g.key, "plugin test", token.Claims{ClientID: id, Servers: g.server.Addrs(), Now: g.now, UserData: []byte("hi")})
	require.NoError(g.t, err)
	require.NoError(g.t, p.Connect(g.network.Dialer(), t))
}

// run steps the server and all clients for a number of ticks.
func (g *game) run(ticks int) {
	for range ticks {
		g.now = g.now.Add(time.Second / 60)
		g.server.Step(g.now)
		for _, c := range g.clients {
			c.Step(g.now)
		}
	}
}

func (g *game) spawn(s spot, n name) ecs.Entity {
	m := generic.NewMap3[spot, name, components.Replicate](g.world)
	return m.NewWith(&s, &n, &components.Replicate{})
}

// spots returns the spots of a world by name.
func spots(w *ecs.World) map[uint32]spot {
	got := map[uint32]spot{}
	f := generic.NewFilter2[spot, name]()
	q := f.Query(w)
	for q.Next() {
		s, n := q.Get()
		got[n.ID] = *s
	}
	return got
}
