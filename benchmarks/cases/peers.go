package cases

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// Peers lists the variants that benchmarks/peers measures in turns with the same scenario over
// another library. They have whole frames of the plugin, and packets that are copied in memory and
// not sealed. Those that All does not list have no goal, and still and views have no limit either.
//
// In the scenario change, all of 1,000 entities have another value in each tick: a float of four
// bytes, or an integer that is 0 or 1. In still, nothing happens among 10,000 entities. In views,
// each client sees 500 of 10,000 entities, ten of which leave its view in a tick while ten others
// enter, and in views/moving, a tenth of the entities has another value.
func Peers() (all []report.Variant) {
	for _, kind := range []struct {
		name    string
		of      structureKind
		clients []int
	}{{"f32", scalarKind, []int{1, structureClients, peerClients}}, {"u64", numberKind, []int{1, structureClients}}} {
		for _, clients := range kind.clients {
			c := steadyCase{kind: kind.of, clients: clients}
			quick := c
			quick.clients = min(clients, 2)
			all = append(all, report.Variant{
				Name: fmt.Sprintf("change/%s-%d", kind.name, clients), Prepare: c.prepare, Quick: quick.prepare,
			})
		}
		c := steadyCase{kind: kind.of, clients: 1, client: true}
		all = append(all, report.Variant{Name: fmt.Sprintf("change/%s-client", kind.name), Prepare: c.prepare})
	}
	for _, v := range slices.Concat(largeVariants(), spawnVariants(), despawnVariants()) {
		if !strings.Contains(v.Name, "-pose") && !strings.HasPrefix(v.Name, "spawn/run-10000") {
			v.Goal = 0
			all = append(all, v)
		}
	}
	number := structureCase{kind: numberKind, entities: 1_000, others: structureOthers, clients: peerClients}
	joins, despawn := number, number
	joins.others, joins.joins, despawn.despawn = 0, true, true
	all = append(all,
		joins.variant("spawn/new-1000-100", 0),
		number.variant("spawn/run-1000-100", 0),
		despawn.variant("despawn/1000-100", 0),
	)
	return append(all,
		peerCase{clients: 1}.variant("still/10000-1"),
		peerCase{clients: structureClients}.variant("still/10000-20"),
		peerCase{clients: structureClients, slides: true}.variant("views/still-20"),
		peerCase{clients: viewClients, slides: true}.variant("views/still-200"),
		peerCase{clients: viewClients, slides: true, every: viewEvery}.variant("views/moving-200"),
	)
}

// peerClients is the number of clients of the scenarios for a crowd.
const peerClients = 100

// viewEvery is that one of so many entities changes in a tick of views/moving.
const viewEvery = 100 / viewPercent

// peerCase is a variant of still or views.
type peerCase struct {
	entities, clients int
	slides            bool // each client has a view, and it slides
	every             int  // one of so many entities changes in a tick; 0: none
}

func (c peerCase) variant(name string) report.Variant {
	quick := c
	c.entities, quick.entities, quick.clients = structureOthers, 10*structureQuick, 2
	return report.Variant{
		Name: name, Rounds: sceneRounds, Warm: gridWarm,
		Prepare: c.prepare, Quick: quick.prepare,
	}
}

// peerGame is a structureGame with views.
type peerGame struct {
	*structureGame
	work      peerCase
	relevance plugin.Relevance
	round     int
}

func (c peerCase) prepare() (report.Sides, error) {
	g, err := newStructureGame(numberKind, c.clients)
	if err != nil {
		return report.Sides{}, err
	}
	p := &peerGame{structureGame: g, work: c, relevance: plugin.NewRelevance(g.world)}
	g.settle() // settings are for connected clients
	g.spawn(c.entities)
	if c.slides {
		p.showViews()
	}
	for range sceneWarm {
		p.begin()
		g.serverFrame()
		g.clientFrames()
	}
	return report.Sides{
		Before: p.before, Ours: g.serverFrame, Limit: func() {},
		Bytes:   func() int { g.count(); return g.bytes },
		Figures: g.figures,
		Verify:  p.verify,
	}, g.err
}

// first returns the first entity of a client's view.
func (p *peerGame) first(client int) int {
	return (client*limits.ViewStep + p.round*limits.SlideStep) % len(p.alive)
}

func (p *peerGame) entity(i int) ecs.Entity { return p.alive[i%len(p.alive)] }

func (p *peerGame) showViews() {
	for _, e := range p.alive {
		(*components.Replicate)(p.world.Get(e, p.marker)).Relevance = components.ByInterest
	}
	for client := range p.clients {
		for i := range limits.ViewSize {
			p.relevance.Show(p.entity(p.first(client)+i), workload.ClientID(client))
		}
	}
}

// before runs the clients' frames of a tick, and begins the next one.
func (p *peerGame) before() {
	p.clientFrames()
	p.begin()
	if p.work.slides {
		for client := range p.clients {
			first := p.first(client)
			for i := range limits.SlideStep {
				p.relevance.Clear(p.entity(first+i), workload.ClientID(client))
				p.relevance.Show(p.entity(first+limits.ViewSize+i), workload.ClientID(client))
			}
		}
	}
	if every := p.work.every; every > 0 {
		for i := p.round % every; i < len(p.alive); i += every {
			p.write(i, i+7*(1+p.round/every))
		}
	}
	p.round++
}

// verify compares the values of each client with those of its view.
func (p *peerGame) verify() error {
	for range sceneWarm {
		p.clientFrames()
		p.begin()
		p.serverFrame()
	}
	p.clientFrames()
	all := p.copyValues(0)
	size := p.kind.codec.Size
	for client, w := range p.worlds {
		first, seen := p.first(client), len(p.alive)
		if p.work.slides {
			seen = limits.ViewSize
		}
		var want []string
		for i := range seen {
			at := (first + i) % len(p.alive) * size
			want = append(want, string(all[at:at+size]))
		}
		slices.Sort(want)
		if got := p.kind.values(w); !slices.Equal(got, want) {
			return fmt.Errorf("client %d has %d values, and they are not the %d of its view", client, len(got), len(want))
		}
	}
	return p.err
}
