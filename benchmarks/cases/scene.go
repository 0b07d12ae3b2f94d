package cases

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/session"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport/token"
)

// sceneConfig describes a scene.
type sceneConfig struct {
	entities int // each has a workload.Pose
	clients  int
	guests   int // clients that may join in addition
	percent  int // percentage of the entities that move in a tick
	rtt      func(client int) int
	loss     float64 // share of the packets that are lost in each direction
	deaf     bool    // clients acknowledge and do not decode
	workers  int     // goroutines that assemble packets; 0: one
	rounded  bool    // clients predict, so the server continues with the values that the wire can express
	allowed  int     // bytes that may be sent to a client in a tick; 0: no cap

	// sees reports whether a client is shown an entity. If it is nil, every client is shown all
	// entities.
	sees func(client, entity int) bool
	// grid makes the entities walk about, and shows clients what a grid finds near their viewers.
	grid bool
	// chosen makes an entity visible to a client only if the case chooses it by interest.
	chosen bool
}

// viewRTT is the round trip of every client in ticks, unless a case sets another one.
const viewRTT = 6

func sixTicks(int) int { return viewRTT }

// scene is a server with an Arche world and its clients in one process. It includes every step of a
// packet's way except the sockets: from Observe to sealed packets, and on the other side from
// sealed packets to an Arche world per client.
type scene struct {
	cfg       sceneConfig
	world     *ecs.World
	pose      ecs.ID
	entities  []ecs.Entity
	collector *source.Collector
	registry  *protocol.Protocol
	poses     workload.Poses
	walkers   *workload.Walkers // the poses, if there is a grid
	grid      *source.Grid[workload.Pose]
	session   *session.Server
	key       token.Key
	clients   []*sceneClient

	now      time.Time
	tick     entangle.Tick
	round    int
	payloads [maxWorkers][]byte
	moved    int // the number of moved entities in all ticks
	err      error
}

const maxWorkers = 2

const sceneName = "scene"

var sceneAddr = netip.MustParseAddrPort("203.0.113.7:40000")

// newScene returns a scene with clients that have received the whole world.
func newScene(cfg sceneConfig) (*scene, error) {
	s, err := newEmptyScene(cfg)
	if err != nil {
		return nil, err
	}
	return s, s.connectClients()
}

// newEmptyScene returns a scene with clients that have not joined yet.
func newEmptyScene(cfg sceneConfig) (*scene, error) {
	s := &scene{cfg: cfg, now: time.Unix(1_800_000_000, 0), key: token.NewKey(), registry: newSceneProtocol(cfg.rounded), poses: workload.ScenePoses}
	if err := registry.Seal(s.registry); err != nil {
		return nil, err
	}
	var err error
	s.session, err = session.NewServer(session.ServerConfig{
		ProtocolID: protocol.ID(sceneName), Key: s.key, Addresses: []netip.AddrPort{sceneAddr},
		MaxClients: max(1, cfg.clients+cfg.guests), Entropy: rand.Reader, Start: s.now,
	})
	if err != nil {
		return nil, err
	}
	return s, s.populate()
}

func newSceneProtocol(rounded bool) *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: sceneName})
	if rule := protocol.Component[workload.Pose](p); rounded {
		rule.Predict(protocol.Full)
	}
	return p
}

func (s *scene) populate() (err error) {
	w := ecs.NewWorld(s.cfg.entities)
	s.world, s.pose = &w, ecs.ComponentID[workload.Pose](&w)
	s.collector, err = source.NewCollector(&w, registry.Of(s.registry).Components, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	marker := ecs.ComponentID[components.Replicate](&w)
	if s.cfg.grid {
		s.addGrid()
	}
	for entity := range s.cfg.entities {
		e := w.NewEntity(marker, s.pose)
		(*components.Replicate)(w.Get(e, marker)).Target = s.targetOf(entity)
		s.entities = append(s.entities, e)
	}
	if s.cfg.grid {
		s.openEyes()
	}
	if s.cfg.chosen {
		s.hideEntities()
	}
	s.nextTick(100)
	s.observe()
	return s.err
}

// targetOf returns the target of an entity.
func (s *scene) targetOf(entity int) components.Target {
	if s.cfg.sees == nil {
		return components.Everyone
	}
	var see []entangle.ClientID
	for client := range s.cfg.clients {
		if s.cfg.sees(client, entity) {
			see = append(see, workload.ClientID(client))
		}
	}
	return source.TargetsOf(s.world).Only(see...)
}

// connectClients connects the clients and runs ticks until each client has all entities.
func (s *scene) connectClients() error {
	for i := range s.cfg.clients {
		c, err := s.connect(i)
		if err != nil {
			return err
		}
		s.clients = append(s.clients, c)
	}
	for range sceneSettle {
		s.showEntities()
		s.still()
		if s.err != nil || s.settled() {
			return s.err
		}
	}
	return fmt.Errorf("the clients did not join within %d ticks", sceneSettle)
}

// showEntities makes each client's entities visible to it, once the client has joined.
func (s *scene) showEntities() {
	for client, c := range s.clients {
		if to := c.server.Replication(); to != nil && !c.shown {
			c.shown = true
			s.collector.Admit(workload.ClientID(client), to)
		}
	}
}

// sceneSettle bounds the number of ticks until every client has all entities.
const sceneSettle = 2000

// settled reports whether every client has acknowledged everything.
func (s *scene) settled() bool {
	for _, c := range s.clients {
		if !c.shown || !c.server.Replication().Idle() {
			return false
		}
	}
	return true
}

// still runs a tick in which no entity moves.
func (s *scene) still() {
	s.between(0)
	s.runServerTick()
}

// before runs what happens between two times that the server sends: packets arrive at the clients,
// their answers arrive at the server, and the game moves the entities.
func (s *scene) before() { s.between(s.cfg.percent) }

func (s *scene) between(percent int) {
	s.now = s.now.Add(workload.SceneStep)
	s.receiveAll()
	s.hear()
	s.nextTick(percent)
}

// runServerTick does the server's work in a tick, from Observe to sealed packets.
func (s *scene) runServerTick() {
	if s.cfg.rounded {
		s.recordError(s.collector.Round())
	}
	s.observe()
	s.stage()
}

func (s *scene) observe() {
	if s.grid != nil {
		s.lookAround()
	}
	s.recordError(s.collector.Observe(s.tick))
}

// stage does the work for the clients: all of them begin, one after the other; then the packets of
// each client are assembled independently of the other clients.
func (s *scene) stage() {
	for _, c := range s.clients {
		s.recordError(c.server.Begin(s.now))
		if s.cfg.allowed > 0 {
			c.server.SetBudget(s.cfg.allowed, s.now)
		}
	}
	if s.cfg.workers > 1 {
		s.shareOut()
		return
	}
	s.share(0)
}

func (s *scene) shareOut() {
	var others sync.WaitGroup
	for i := 1; i < s.cfg.workers; i++ {
		others.Go(func() { s.share(i) })
	}
	s.share(0)
	others.Wait()
}

// share assembles the packets of every client of worker i.
func (s *scene) share(i int) {
	workers := max(s.cfg.workers, 1)
	for n := i; n < len(s.clients); n += workers {
		s.payloads[i] = s.assemble(s.clients[n], s.payloads[i])
	}
}

func (s *scene) assemble(c *sceneClient, payload []byte) []byte {
	c.out.Reset()
	for {
		payload = c.server.AppendPacket(payload[:0], s.tick, s.now)
		if len(payload) == 0 {
			return payload
		}
		b, err := s.session.AppendPayload(c.out.Data, c.slot, payload, s.now)
		if err != nil {
			panic(err) // the packet belongs to a connected client and has a valid size
		}
		c.out.Add(b)
	}
}

// nextTick moves percent % of the entities.
func (s *scene) nextTick(percent int) {
	s.tick++
	s.round++
	if percent == 0 {
		return
	}
	for i, e := range s.entities {
		if percent == 100 || report.Chosen(i, s.round, percent) {
			*(*workload.Pose)(s.world.Get(e, s.pose)) = *s.poses.At(i, s.round)
			s.moved++
		}
	}
}

// size returns the bytes of all sealed packets of the last tick.
func (s *scene) size() (n int) {
	for _, c := range s.clients {
		n += len(c.out.Data)
	}
	return n
}

func (s *scene) recordError(err error) {
	if s.err == nil {
		s.err = err
	}
}
