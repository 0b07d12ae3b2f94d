package cases

import (
	"errors"
	"fmt"
	"slices"

	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/report"
)

// In the case large, each of 1,000 entities has 60 bytes, all of which change in every tick. One
// operation of large/1 and large/20 is the whole frame of a server with so many clients, from the
// packets of the clients to those for them, which are copied in memory and not sealed. The limit
// compares one column, writes the values once, and copies the payloads for each client. For
// large/client, one operation is the whole frame of a client; the limit reads payloads into a column.
//
// In the case client, an operation is the whole frame of a client whose 1,000 entities move in every
// tick: it receives packets, applies them, runs a tick with all that the plugin does in it, and
// answers. In client/predicted it predicts all of them correctly, so that each tick is saved and
// each confirmed one compared. The limit reads the positions and rotations into a column. Both sides
// have unsealed packets in memory.
const steadyEntities = 1_000

// steadyCase is a variant of large or client.
type steadyCase struct {
	kind    structureKind
	clients int
	client  bool // the first client is measured
}

func largeVariants() []report.Variant {
	one := steadyCase{kind: blockKind, clients: 1}
	more := steadyCase{kind: blockKind, clients: structureClients}
	client := steadyCase{kind: blockKind, clients: 1, client: true}
	return []report.Variant{
		{Name: "large/1", Goal: 1.5, Prepare: one.prepare},
		{Name: "large/20", Goal: 1.5, Rounds: sceneRounds, Warm: sceneRounds, Prepare: more.prepare},
		{Name: "large/client", Goal: 1.5, Prepare: client.prepare},
	}
}

func clientVariants() []report.Variant {
	plain := steadyCase{kind: poseKind, clients: 1, client: true}
	predicted := steadyCase{kind: walkingKind(), clients: 1, client: true}
	return []report.Variant{
		{Name: "client/plain", Goal: 3, Prepare: plain.prepare},
		{Name: "client/predicted", Prepare: predicted.prepare},
	}
}

// steadyPair is both sides of a variant.
type steadyPair struct {
	*structureGame
	limit *limits.StructureLimit
	one   *limits.ColumnClient
	moves int

	corrected uint64 // predicted values before the measurement
	wrong     bool   // the limit's client could not read a payload
}

func (c steadyCase) prepare() (report.Sides, error) {
	g, err := newStructureGame(c.kind, c.clients)
	if err != nil {
		return report.Sides{}, err
	}
	p := &steadyPair{structureGame: g, limit: limits.NewStructureLimit(c.kind.codec, c.clients), one: limits.NewColumnClient(c.kind.codec)}
	g.spawn(steadyEntities)
	p.limit.Spawn(g.copyValues(0))
	g.settle()
	p.limit.Send()
	p.apply()
	for range sceneWarm {
		p.beforeClient()
		g.clientFrame()
		p.apply()
	}
	p.corrected = g.clients[0].Stats().Rollbacks.Corrections
	s := report.Sides{
		Before: p.beforeServer, Ours: g.serverFrame, Limit: p.limit.Send,
		Bytes:   func() int { g.count(); return g.bytes },
		Sizes:   func() map[string]int { return map[string]int{"limit": c.clients * p.limit.Size()} },
		Figures: g.figures,
		Verify:  p.verify,
	}
	if c.client {
		s.Before, s.Ours, s.Limit = p.beforeClient, g.clientFrame, p.apply
	}
	return s, g.err
}

// beforeServer runs the clients' frames of a tick, and begins the next one.
func (p *steadyPair) beforeServer() {
	p.clientFrames()
	p.begin()
	p.change()
}

// beforeClient runs the server's frame of the next tick.
func (p *steadyPair) beforeClient() {
	p.begin()
	if p.kind.move == nil {
		p.change()
	}
	p.serverFrame()
	p.limit.Set(p.copyValues(0))
	p.limit.Send()
}

// change gives all entities another value.
func (p *steadyPair) change() {
	p.moves++
	for i := range p.alive {
		p.write(i, i+7*p.moves)
	}
	p.limit.Set(p.copyValues(0))
}

func (p *steadyPair) apply() {
	for payload := range p.limit.Clients[0].Each {
		p.wrong = !p.one.Apply(payload) || p.wrong
	}
}

// verify compares the clients' worlds with the column of the limit's client.
func (p *steadyPair) verify() error {
	if p.kind.move != nil {
		return p.verifyPrediction()
	}
	p.clientFrames()
	p.settle()
	p.one = limits.NewColumnClient(p.kind.codec)
	p.limit.SendAll()
	p.apply()
	if p.wrong {
		return errors.New("the limit's client can't read a payload")
	}
	var want []string
	for value := range slices.Chunk(p.one.Column, p.kind.codec.Size) {
		want = append(want, string(value))
	}
	slices.Sort(want)
	return p.structureGame.verify(want)
}

// verifyPrediction checks that the client predicts everything, and correctly.
func (p *steadyPair) verifyPrediction() error {
	s := p.clients[0].Stats()
	switch {
	case p.err != nil:
		return p.err
	case !p.arrived() || s.Rollbacks.Corrections != p.corrected:
		return fmt.Errorf("the client had to correct %d values", s.Rollbacks.Corrections-p.corrected)
	}
	return nil
}
