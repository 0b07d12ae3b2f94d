package cases

import (
	"fmt"
	"slices"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// structureKind is the one component that the entities of a structureGame have.
type structureKind struct {
	codec     limits.Codec
	newClient func() *limits.StructureClient
	register  func(*protocol.Protocol)
	id        func(*ecs.World) ecs.ID
	set       func(w *ecs.World, e ecs.Entity, n int)    // writes the component of entity n, or of a later tick
	copyTo    func(b []byte, w *ecs.World, e ecs.Entity) // as it is in memory
	values    func(w *ecs.World) []string                // all of a world, sorted
	move      func(w *ecs.World) func()                  // a system of both sides that moves the entities, which the clients predict; nil: the case writes them
}

// kindOf returns the kind of entities with a component of type T.
func kindOf[T any](codec limits.Codec, read func([]T, []byte) bool, put func([]byte, *T), value func(n int) T) structureKind {
	return structureKind{
		codec:     codec,
		newClient: func() *limits.StructureClient { return limits.NewStructureClient(codec.Code, read) },
		register:  func(p *protocol.Protocol) { protocol.Component[T](p) },
		id:        ecs.ComponentID[T],
		set:       func(w *ecs.World, e ecs.Entity, n int) { *(*T)(w.Get(e, ecs.ComponentID[T](w))) = value(n) },
		copyTo:    func(b []byte, w *ecs.World, e ecs.Entity) { put(b, (*T)(w.Get(e, ecs.ComponentID[T](w)))) },
		values: func(w *ecs.World) (all []string) {
			id := ecs.ComponentID[T](w)
			filter := ecs.All(id)
			b := make([]byte, codec.Size)
			for q := w.Query(&filter); q.Next(); {
				put(b, (*T)(q.Get(id)))
				all = append(all, string(b))
			}
			slices.Sort(all)
			return all
		},
	}
}

var (
	numberKind = kindOf(limits.RawCodec(workload.NumberSize), limits.ReadNumbers, limits.PutNumber,
		func(n int) workload.Number { return workload.Number{Value: uint64(n) & 1} })
	scalarKind = kindOf(limits.RawCodec(workload.ScalarSize), nil, limits.PutScalar,
		func(n int) workload.Scalar { return workload.Scalar{Value: float32(n)} })
	poseKind = kindOf(limits.PoseCodec(), limits.ReadPoses, limits.PutPose,
		func(n int) workload.Pose { return *workload.ScenePoses.At(n, 0) })
	blockKind = kindOf(limits.RawCodec(workload.BlockSize), nil, limits.PutBlock,
		func(n int) (b workload.Block) {
			for i := range b.Values {
				b.Values[i] = float32(n + i)
			}
			return b
		})
)

// walkingKind is poses that both sides move.
func walkingKind() structureKind {
	k := poseKind
	k.register = func(p *protocol.Protocol) { protocol.Component[workload.Pose](p).Predict(protocol.Full) }
	k.move = func(w *ecs.World) func() {
		id := ecs.ComponentID[workload.Pose](w)
		filter := ecs.All(id)
		return func() {
			for q := w.Query(&filter); q.Next(); {
				x := &(*workload.Pose)(q.Get(id)).Pos[0]
				if *x += 0.5; *x > 500 {
					*x = -500
				}
			}
		}
	}
	return k
}

// structureGame is a server and its clients, complete except for the network and the sealing of
// packets. In a tick the server runs its frame, then the clients theirs; the server receives their
// answers in the next tick.
type structureGame struct {
	kind    structureKind
	tick    entangle.Tick // of the network
	now     time.Time
	layer   *workload.Layer
	server  *plugin.Server
	world   *ecs.World
	marker  ecs.ID
	id      ecs.ID
	alive   []ecs.Entity
	values  []byte // of copyValues
	clients []*plugin.Client
	worlds  []*ecs.World // of the clients
	err     error

	// Of this operation:
	bytes, packets int // that the server has sent
	parts          int
	heard          bool // the clients have everything, and their last answers are on the way
}

func newStructureGame(kind structureKind, clients int) (*structureGame, error) {
	g := &structureGame{kind: kind, now: time.Unix(1_000_000, 0)}
	g.layer = workload.NewLayer(clients, 0, 1, &g.tick)
	var err error
	if g.server, err = plugin.NewServer(plugin.ServerConfig{
		Protocol: g.protocol(), MaxClients: clients, MaxWorkPerClient: -1, Clock: g.clock, Workers: 1,
	}); err != nil {
		return nil, err
	}
	g.addMovement(g.server)
	w := ecs.NewWorld()
	g.world = &w
	g.marker, g.id = ecs.ComponentID[components.Replicate](&w), kind.id(&w)
	g.server.Initialize(g.world)
	if err := g.server.StartWith(g.layer); err != nil {
		return nil, err
	}
	return g, g.connectClients()
}

func (g *structureGame) protocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "structure benchmark", TickRate: workload.TickRate})
	g.kind.register(p)
	return p
}

func (g *structureGame) addMovement(app plugin.App) {
	if g.kind.move != nil {
		app.AddSystem(plugin.FixedMain, plugin.Func(g.kind.move))
	}
}

func (g *structureGame) clock() time.Time { return g.now }

// connectClients gives every end of the layer a new client with a world of its own, which connects.
func (g *structureGame) connectClients() error {
	g.clients, g.worlds = g.clients[:0], g.worlds[:0]
	for _, end := range g.layer.Ends {
		c, err := plugin.NewClient(plugin.ClientConfig{Protocol: g.protocol(), Clock: g.clock})
		if err != nil {
			return err
		}
		g.addMovement(c)
		w := ecs.NewWorld()
		c.Initialize(&w)
		if err := c.ConnectWith(end); err != nil {
			return err
		}
		g.clients, g.worlds = append(g.clients, c), append(g.worlds, &w)
	}
	return nil
}

// reconnectClients replaces all clients by new ones, whose first packets are on the way to the server.
// It has made what it needs for their connections, but does not know yet that they speak its protocol.
func (g *structureGame) reconnectClients() {
	for i := range g.clients {
		g.server.Disconnect(workload.ClientID(i), "")
	}
	g.begin()
	g.serverFrame()
	g.layer.Renew()
	g.fail(g.connectClients())
	g.begin()
	g.serverFrame()
	g.clientFrames()
}

// spawn adds entities.
func (g *structureGame) spawn(n int) {
	for range n {
		e := g.world.NewEntity(g.marker, g.id)
		if g.kind.move != nil {
			(*components.Replicate)(g.world.Get(e, g.marker)).Predict = components.Everyone
		}
		g.alive = append(g.alive, e)
		g.write(len(g.alive)-1, len(g.alive)-1)
	}
}

// write gives an entity the component of number n.
func (g *structureGame) write(entity, n int) { g.kind.set(g.world, g.alive[entity], n) }

// copyValues returns the components of the entities from one on, as they are in memory.
func (g *structureGame) copyValues(from int) []byte {
	size := g.kind.codec.Size
	g.values = slices.Grow(g.values[:0], len(g.alive)*size)[:(len(g.alive)-from)*size]
	for i, e := range g.alive[from:] {
		g.kind.copyTo(g.values[i*size:], g.world, e)
	}
	return g.values
}

// despawn removes the last entities.
func (g *structureGame) despawn(n int) {
	kept := len(g.alive) - n
	for _, e := range g.alive[kept:] {
		g.world.RemoveEntity(e)
	}
	g.alive = g.alive[:kept]
}

// nextTick advances the time by a tick.
func (g *structureGame) nextTick() {
	g.now = g.now.Add(time.Second / workload.TickRate)
	g.layer.Next()
}

// clientFrames runs a frame of every client.
func (g *structureGame) clientFrames() {
	for _, c := range g.clients {
		c.Step(g.now)
	}
}

// begin begins an operation, in which an entity appears or disappears at the clients.
func (g *structureGame) begin() {
	g.bytes, g.packets, g.parts, g.heard = 0, 0, 0, false
	g.nextTick()
}

func (g *structureGame) serverFrame() { g.server.Step(g.now) }

// betweenServerFrames runs what happens between two frames of the server. It reports false once the
// server has received the acknowledgements of everything.
func (g *structureGame) betweenServerFrames() bool {
	g.count()
	g.clientFrames()
	if g.heard || g.late() {
		return false
	}
	g.heard = g.arrived()
	g.nextTick()
	return true
}

// clientFrame runs a frame of the first client.
func (g *structureGame) clientFrame() { g.clients[0].Step(g.now) }

// betweenClientFrames runs what happens between two frames of the first client. It reports false
// once the client has everything.
func (g *structureGame) betweenClientFrames() bool {
	if g.late() || g.arrived() {
		return false
	}
	g.nextTick()
	g.serverFrame()
	g.count()
	return true
}

// settle runs ticks until the clients have everything and the server knows.
func (g *structureGame) settle() {
	g.begin()
	g.serverFrame()
	for g.betweenServerFrames() {
		g.serverFrame()
	}
}

// structureMost bounds the ticks until everything has arrived.
const structureMost = 500

// late reports whether the operation takes too many ticks.
func (g *structureGame) late() bool {
	if g.parts++; g.parts > structureMost {
		g.fail(fmt.Errorf("the clients do not have the server's entities after %d ticks", structureMost))
	}
	return g.err != nil
}

// count adds up what the server has sent in this tick.
func (g *structureGame) count() {
	for _, e := range g.layer.Ends {
		sent := e.Down.At(g.tick)
		g.bytes += len(sent.Data)
		g.packets += len(sent.Ends)
	}
}

// arrived reports whether every client has as many entities as the server.
func (g *structureGame) arrived() bool {
	for i, w := range g.worlds {
		filter := ecs.All(g.kind.id(w))
		q := w.Query(&filter)
		n := q.Count()
		q.Close()
		if n != len(g.alive) || !g.clients[i].Joined() {
			return false
		}
	}
	return true
}

func (g *structureGame) fail(err error) {
	if g.err == nil {
		g.err = err
	}
}

// verify compares the components of all clients with the expected ones, whatever their order.
func (g *structureGame) verify(want []string) error {
	if g.err != nil {
		return g.err
	}
	for i, w := range g.worlds {
		if got := g.kind.values(w); !slices.Equal(got, want) {
			return fmt.Errorf("client %d has %d values, and they are not the %d of the limit", i, len(got), len(want))
		}
	}
	return nil
}

// figures returns the packets that the server sent in the last operation, the time to seal them, and
// the frames of the operation.
func (g *structureGame) figures() map[string]float64 {
	all := map[string]float64{"packets": float64(g.packets), "frames": float64(g.parts + 1)}
	if g.packets > 0 {
		seal := limits.Sealing(g.packets, g.bytes/g.packets)
		all["seal_ns"] = medianClock(seal)
	}
	return all
}

func medianClock(f func()) float64 {
	var took []float64
	for range structureRounds {
		took = append(took, report.Clock(f))
	}
	return report.Median(took)
}
