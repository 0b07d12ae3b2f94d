package cases

import (
	"fmt"

	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
)

// The case interest computes visibility among 10,000 walking entities for 200 clients with one
// viewer each. Each client sees 500 entities, of which about two enter or leave its view in a tick.
// One operation is a pass of a grid, from the positions in an Arche world to a set of entities for
// each client and the changes in it. The limit does the same by hand (limits/interest.go).
const (
	interestEntities = workload.ViewEntities
	interestClients  = viewClients
)

func interestVariants() []report.Variant {
	return []report.Variant{{Name: "interest/grid", Goal: 1.5, Prepare: interestPrepare}}
}

// interestWorld is the walking entities and their visibility, on both sides.
type interestWorld struct {
	scene   *scene
	rows    []int
	hand    *limits.HandGrid
	viewers []int32
	changes [2]int // changes in all passes of our side, and of the limit
}

func interestPrepare() (report.Sides, error) {
	d := &interestWorld{hand: limits.NewWalkGrid(interestEntities, interestClients), viewers: workload.ViewersOf(interestClients)}
	if err := d.populate(); err != nil {
		return report.Sides{}, err
	}
	return report.Sides{
		Before: func() { d.scene.nextTick(100) },
		Ours:   d.updateRelevance,
		Limit:  d.updateHandGrid,
		Verify: d.verifyRelevance,
	}, nil
}

// populate makes a scene with connected clients that nothing has been sent to yet.
func (d *interestWorld) populate() (err error) {
	cfg := sceneConfig{entities: interestEntities, clients: interestClients, percent: 100, rtt: sixTicks, grid: true}
	if d.scene, err = newEmptyScene(cfg); err != nil {
		return err
	}
	p := d.scene.collector
	for client := range interestClients {
		p.Admit(workload.ClientID(client), p.World.NewPeer())
		row, _ := p.Interest().Row(workload.ClientID(client))
		d.rows = append(d.rows, row)
	}
	return nil
}

// updateRelevance runs a pass of Entangle's grid, and counts the changes.
func (d *interestWorld) updateRelevance() {
	d.scene.lookAround()
	r := d.scene.collector.Interest().Relevance()
	for _, row := range d.rows {
		d.changes[0] += report.Count(r.Changed(row))
	}
	r.ClearChanges()
}

func (d *interestWorld) updateHandGrid() {
	d.hand.Update(d.scene.walkers.Poses, d.viewers)
	for _, changed := range d.hand.Changed {
		d.changes[1] += report.Count(changed)
	}
}

// verifyRelevance compares the relevance that both sides found.
func (d *interestWorld) verifyRelevance() error {
	if d.changes[0] != d.changes[1] {
		return fmt.Errorf("%d changes, and %d by hand", d.changes[0], d.changes[1])
	}
	r := d.scene.collector.Interest().Relevance()
	for client, row := range d.rows {
		for i, e := range d.scene.entities {
			ours := r.Matters(row, d.scene.collector.Interest().Number(e), false)
			if ours != d.hand.Sees(client, i) {
				return fmt.Errorf("client %d sees entity %d in one of them", client, i)
			}
		}
	}
	return nil
}
