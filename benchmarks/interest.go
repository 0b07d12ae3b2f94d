package main

import (
	"fmt"
	"math/bits"
)

// interest: who sees whom among 10,000 entities that all walk, for 200 clients with a viewer
// each, who see 500 of them; about two come into sight or leave it in a tick. One operation
// is a pass of a grid, from the positions in an Arche world to a set of entities for each
// client, and what changed in it. Limit: the same by hand (interest_limit.go).
const (
	interestEntities = viewEntities
	interestClients  = viewClients
)

func interestVariants() []variant {
	return []variant{{name: "interest/grid", goal: 1.5, prepare: interestPrepare}}
}

// interestWorld is entities that walk, and who sees them, on both sides.
type interestWorld struct {
	scene   *scene
	rows    []int
	hand    *handGrid
	viewers []int32
	changes [2]int // in all passes of ours, and by hand
}

func interestPrepare() (sides, error) {
	d := &interestWorld{hand: newWalkGrid(interestEntities, interestClients), viewers: viewersOf(interestClients)}
	if err := d.populate(); err != nil {
		return sides{}, err
	}
	return sides{
		before: func() { d.scene.nextTick(100) },
		ours:   d.look,
		limit:  d.lookByHand,
		verify: d.equal,
	}, nil
}

// viewersOf returns which entities see for so many clients.
func viewersOf(clients int) (entities []int32) {
	for client := range clients {
		entities = append(entities, int32(viewerOf(client, clients)))
	}
	return entities
}

// populate makes a scene whose clients are known, without anything sent.
func (d *interestWorld) populate() (err error) {
	cfg := sceneConfig{entities: interestEntities, clients: interestClients, percent: 100, rtt: sixTicks, grid: true}
	if d.scene, err = newEmptyScene(cfg); err != nil {
		return err
	}
	p := d.scene.publisher
	for client := range interestClients {
		p.Admit(clientID(client), p.World().NewPeer())
		row, _ := p.Interest().Row(clientID(client))
		d.rows = append(d.rows, row)
	}
	return nil
}

// look is our pass, and counts what it brought.
func (d *interestWorld) look() {
	d.scene.lookAround()
	r := d.scene.publisher.Interest().Relevance()
	for _, row := range d.rows {
		d.changes[0] += count(r.Changed(row))
	}
	r.Settle()
}

func (d *interestWorld) lookByHand() {
	d.hand.update(d.scene.walkers.poses, d.viewers)
	for _, changed := range d.hand.changed {
		d.changes[1] += count(changed)
	}
}

func count(set []uint64) (n int) {
	for _, word := range set {
		n += bits.OnesCount64(word)
	}
	return n
}

// equal holds the two sides against each other.
func (d *interestWorld) equal() error {
	if d.changes[0] != d.changes[1] {
		return fmt.Errorf("%d changes, and %d by hand", d.changes[0], d.changes[1])
	}
	r := d.scene.publisher.Interest().Relevance()
	for client, row := range d.rows {
		for i, e := range d.scene.entities {
			ours := r.Matters(row, d.scene.publisher.Interest().Number(e), false)
			if ours != d.hand.sees(client, i) {
				return fmt.Errorf("client %d sees entity %d in one of them", client, i)
			}
		}
	}
	return nil
}
