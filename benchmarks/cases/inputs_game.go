package cases

import (
	"fmt"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/benchmarks/clock"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

const (
	inputClients = 200
	inputRoom    = 20  // players in a room, which see each other
	inputWay     = 3   // ticks that a packet travels
	inputSettle  = 100 // ticks until all players have joined and know the server's time
)

// inputKind is how a game of the case uses inputs.
type inputKind uint8

const (
	noInputs inputKind = iota
	ownInputs
	passedInputs // relayed to the other players of the room (rebroadcast)
)

// inputGame is a server and its players, complete except for the network and the sealing of
// packets. Each player has an entity that only its input changes. One more entity, which all
// players see, moves in every tick, so that the server sends a packet in every tick with and
// without inputs.
type inputGame struct {
	kind    inputKind
	tick    entangle.Tick // of the network
	now     time.Time
	layer   *workload.Layer
	server  *plugin.Server
	clients []*plugin.Client
	sticks  []ecs.Entity // the entities on the server, by player
	world   *ecs.World
	marks   [inputParts + 1]time.Time // the times at which the parts of the last frame began
}

// The parts of a server's frame that concern inputs, in their order.
const (
	inputReceive = iota // received packets are handled
	inputApply          // the tick's inputs are put into the components
	inputSend           // packets are written, and the frame does everything else
	inputParts
)

// mark returns a system that records when a part begins.
func (g *inputGame) mark(part int) plugin.System {
	return plugin.Func(func(*ecs.World) func() { return func() { g.marks[part] = time.Now() } })
}

// runServerFrame runs a frame of the server and returns what each part took, in nanoseconds.
func (g *inputGame) runServerFrame() (took [inputParts]float64) {
	g.marks[0] = time.Now()
	g.server.Step(g.now)
	g.marks[inputParts] = time.Now()
	for i := range took {
		took[i] = float64(g.marks[i+1].Sub(g.marks[i]))
	}
	return took
}

func newInputGame(kind inputKind) (*inputGame, error) {
	g := &inputGame{kind: kind, now: time.Unix(1_000_000, 0)}
	g.layer = workload.NewLayer(inputClients, inputWay, inputWay, &g.tick)
	if err := g.start(); err != nil {
		return nil, err
	}
	for i, end := range g.layer.Ends {
		if err := g.connectClient(end); err != nil {
			return nil, fmt.Errorf("client %d: %w", i, err)
		}
	}
	for range inputSettle {
		g.others()
		g.server.Step(g.now)
	}
	return g, nil
}

func (g *inputGame) protocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "inputs benchmark", TickRate: workload.TickRate})
	protocol.Component[components.ControlledBy](p)
	protocol.Component[workload.Place](p)
	switch g.kind {
	case ownInputs:
		protocol.Input[workload.Stick](p)
	case passedInputs:
		protocol.Input[workload.Stick](p).Rebroadcast()
	}
	return p
}

func (g *inputGame) clock() time.Time { return g.now }

func (g *inputGame) start() (err error) {
	g.server, err = plugin.NewServer(plugin.ServerConfig{
		Protocol: g.protocol(), MaxClients: inputClients, Clock: g.clock, Workers: 1,
	})
	if err != nil {
		return err
	}
	g.server.AddSystem(plugin.FixedInput, g.mark(inputApply))
	g.server.AddSystem(plugin.FixedMain, g.mark(inputSend))
	g.server.AddSystem(plugin.FixedMain, plugin.Func(g.serverSystem))
	w := ecs.NewWorld()
	g.world = &w
	g.server.Initialize(g.world)
	return g.server.StartWith(g.layer)
}

func (g *inputGame) connectClient(end *workload.LayerEnd) error {
	c, err := plugin.NewClient(plugin.ClientConfig{Protocol: g.protocol(), Clock: g.clock})
	if err != nil {
		return err
	}
	if g.kind != noInputs {
		c.AddSystem(plugin.FixedInput, plugin.Func(clock.Player))
	}
	w := ecs.NewWorld()
	c.Initialize(&w)
	g.clients = append(g.clients, c)
	return c.ConnectWith(end)
}

// serverSystem gives each new player an entity in its room, and moves the entity that all players
// see.
func (g *inputGame) serverSystem(w *ecs.World) func() {
	came := plugin.NewReader[plugin.ClientConnected](w)
	rooms := plugin.NewRooms(w)
	player := generic.NewMap4[workload.Place, workload.Stick, components.Replicate, components.ControlledBy](w)
	beacon := generic.NewMap2[workload.Place, components.Replicate](w)
	shown := beacon.NewWith(&workload.Place{}, &components.Replicate{})
	place := generic.NewMap1[workload.Place](w)
	moved := 0
	return func() {
		for _, e := range came.Read() {
			room := components.Room(1 + len(g.sticks)/inputRoom)
			rooms.AddClient(room, e.Client)
			stick := player.NewWith(&workload.Place{}, &workload.Stick{},
				&components.Replicate{Relevance: components.ByInterest}, &components.ControlledBy{Client: e.Client})
			g.sticks = append(g.sticks, stick)
			rooms.AddEntity(room, stick)
		}
		moved++
		place.Get(shown).X = float32(moved % 64)
	}
}

// others advances the clock by a tick, and runs the frames of the clients.
func (g *inputGame) others() {
	g.now = g.now.Add(time.Second / workload.TickRate)
	g.layer.Next()
	for _, c := range g.clients {
		c.Step(g.now)
	}
}

// verify returns an error if a client has not joined.
func (g *inputGame) verify() error {
	for i, c := range g.clients {
		if !c.Joined() {
			return fmt.Errorf("client %d has not joined: %v, %w", i, c.State(), c.Err())
		}
	}
	return nil
}

// traffic returns the bytes that all clients have sent and received so far.
func (g *inputGame) traffic() (up, down int) {
	for _, e := range g.layer.Ends {
		up, down = up+e.Out, down+e.In
	}
	return up, down
}
