package cases

import (
	"errors"
	"fmt"

	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/report"
)

// In the case spawn, entities with one component appear at the clients: an integer of eight bytes, or
// with -pose a position and a rotation. In spawn/new, clients join a world of 1,000 or 10,000
// entities. In spawn/run, so many spawn in one tick in a world of 10,000 others, which the clients
// have. The last part of a name is the number of clients: one operation is then the frames of a
// server, from the one in which it finds the entities to the one in which it receives the last
// acknowledgement. The packets are copied in memory and not sealed. If the name ends with client, one
// operation is the frames of one client: from packets to entities in its world, with events that no
// system reads. In the case despawn, 1,000 of the entities of such a world end in one tick. What the
// game itself does to spawn and despawn is not measured, nor what makes a connection.
//
// limits/structure.go describes the limit of a server. It takes two ticks, since the acknowledgements
// of a tick arrive in the next one, which compares the world too; nothing has changed by then. The
// limit of a client (limits/structure_client.go) has an Arche world, too, since that is where the
// entities must be. The field figures has the time to seal the packets, the number of packets, and
// the number of frames that one operation takes.
const (
	structureOthers  = 10_000
	structureRounds  = 40
	structureWarm    = 40 // more than the ticks after which ids are used again
	structureClients = 20
	structureQuick   = 100 // entities in a quick round, and ten times as many others
)

// structureCase is a variant of spawn or despawn.
type structureCase struct {
	kind     structureKind
	entities int // that spawn or despawn
	others   int // that stay
	clients  int
	joins    bool // the clients join
	despawn  bool
	client   bool // the first client is measured
}

func spawnVariants() (all []report.Variant) {
	for _, in := range [...]struct {
		name   string
		others int
	}{{"new", 0}, {"run", structureOthers}} {
		for _, entities := range [...]int{1_000, 10_000} {
			c := structureCase{kind: numberKind, entities: entities, others: in.others, joins: in.others == 0}
			all = append(all, c.sides(fmt.Sprintf("spawn/%s-%d", in.name, entities))...)
		}
		c := structureCase{kind: poseKind, entities: 1_000, others: in.others, joins: in.others == 0}
		all = append(all, c.sides(fmt.Sprintf("spawn/%s-1000-pose", in.name))...)
	}
	return all
}

func despawnVariants() []report.Variant {
	c := structureCase{kind: numberKind, entities: 1_000, others: structureOthers, despawn: true}
	return c.sides("despawn/1000")
}

// sides returns the variants for a server with one and with more clients, and for a client.
func (c structureCase) sides(name string) []report.Variant {
	one, more, client := c, c, c
	one.clients, more.clients, client.clients, client.client = 1, structureClients, 1, true
	goal := float64(structureGoal)
	if c.joins && c.kind.codec.Code == c.kind.codec.Size {
		goal = joinGoal
	}
	return []report.Variant{
		one.variant(name+"-1", goal),
		more.variant(fmt.Sprint(name, "-", structureClients), goal),
		client.variant(name+"-client", structureGoal),
	}
}

// For clients that join, the limit copies a column of integers, which takes it hardly any time next to
// a state for each client and entity, which a server needs to resend what is lost. So the goal of
// those variants is larger.
const (
	structureGoal = 3
	joinGoal      = 10
)

func (c structureCase) variant(name string, goal float64) report.Variant {
	quick := c
	quick.entities, quick.others, quick.clients = structureQuick, min(c.others, 10*structureQuick), min(c.clients, 2)
	v := report.Variant{Name: name, Goal: goal, Grows: true, Rounds: structureRounds, Warm: structureWarm, Prepare: c.prepare, Quick: quick.prepare}
	if c.entities*c.clients > 100_000 {
		v.Rounds, v.Warm = structureRounds/4, structureWarm/4
	}
	return v
}

// structurePair is both sides of a variant.
type structurePair struct {
	*structureGame
	work   structureCase
	server *limits.StructureLimit
	one    *limits.StructureClient
	wrong  bool // the limit's client could not read a payload
	size   int  // bytes that the limit sent to each client
}

func (c structureCase) prepare() (report.Sides, error) {
	g, err := newStructureGame(c.kind, c.clients)
	if err != nil {
		return report.Sides{}, err
	}
	p := &structurePair{
		structureGame: g, work: c,
		server: limits.NewStructureLimit(c.kind.codec, c.clients), one: c.kind.newClient(),
	}
	p.add(c.others)
	if c.joins {
		p.add(c.entities)
	}
	p.settle()
	s := report.Sides{
		Before: p.before, Ours: g.serverFrame, Between: g.betweenServerFrames, Limit: p.byHand,
		Bytes:   func() int { return g.bytes },
		Sizes:   func() map[string]int { return map[string]int{"limit": c.clients * p.size} },
		Figures: g.figures,
		Verify:  p.verify,
	}
	if c.client {
		s.Ours, s.Between, s.Limit = g.clientFrame, g.betweenClientFrames, p.clientByHand
	}
	return s, g.err
}

// add spawns entities on both sides.
func (p *structurePair) add(n int) {
	from := len(p.alive)
	p.spawn(n)
	p.server.Spawn(p.copyValues(from))
}

// remove despawns the last entities on both sides.
func (p *structurePair) remove(n int) {
	p.structureGame.despawn(n)
	p.server.Despawn(n)
}

// settle runs ticks until all have everything.
func (p *structurePair) settle() {
	p.structureGame.settle()
	p.server.Send()
	if p.work.client {
		p.clientByHand()
	}
}

func (p *structurePair) before() {
	switch {
	case p.work.joins:
		p.reconnectClients()
		p.one = p.kind.newClient()
	case p.work.despawn:
		p.add(p.work.entities)
		p.settle()
		p.remove(p.work.entities)
	case len(p.alive) > p.work.others:
		p.remove(p.work.entities)
		p.settle()
		fallthrough
	default:
		p.add(p.work.entities)
	}
	p.begin()
	if p.work.client {
		p.serverFrame()
		p.count()
		p.send()
	}
}

// send does the limit's work of the tick in which something happens.
func (p *structurePair) send() {
	if p.work.joins {
		p.server.SendAll()
	} else {
		p.server.Send()
	}
	p.size = p.server.Size()
}

func (p *structurePair) byHand() {
	p.send()
	p.server.Send()
}

func (p *structurePair) clientByHand() {
	for payload := range p.server.Clients[0].Each {
		p.wrong = !p.one.Apply(payload) || p.wrong
	}
}

// verify compares the clients' worlds with the limit's client.
func (p *structurePair) verify() error {
	if !p.work.client {
		p.one = p.kind.newClient()
		p.server.SendAll()
		p.clientByHand()
	}
	if p.wrong {
		return errors.New("the limit's client can't read a payload")
	}
	return p.structureGame.verify(p.kind.values(p.one.World))
}
