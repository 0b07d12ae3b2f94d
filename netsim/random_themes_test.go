package netsim_test

import (
	"fmt"
	"math"
	"slices"
)

// theme is the main kind of change in a random world: coincidences of several changes of one kind
// would hardly ever occur with the weights of change alone.
type theme struct {
	do func(p *plan, at string)
	// capped: no client gets more than the smallest possible byte budget.
	capped bool
	// calm: no loss and no prediction.
	calm bool
	// often is how many changes out of eight belong to the theme.
	often int
}

// themes of random worlds. Two worlds in seven have none.
var themes = []theme{
	{},
	{},
	{do: (*plan).hierarchy, often: 4},
	{do: (*plan).nap, often: 4},
	{do: (*plan).toggleVisibility, often: 4},
	{do: (*plan).pulse, often: 7, calm: true},
	{do: (*plan).crowdOut, often: 5, capped: true},
}

// hierarchy spawns, despawns and changes hierarchies, and has Replicate of parents apply to children.
func (p *plan) hierarchy(at string) {
	e, parent := p.any(), p.entities[p.rng.IntN(min(len(p.entities), 5))]
	switch p.rng.IntN(16) {
	case 0:
		p.say("%sdetach %s", at, e.name)
	case 1, 2, 3:
		p.say("%starget %s %s", at, parent.name, p.audience())
	case 4:
		p.say("%sowner %s %d%s", at, parent.name, p.rng.IntN(maxGuests+1), []string{"", " keep"}[p.rng.IntN(2)])
	case 5, 6:
		p.nap(at)
	case 7:
		p.say("%s%s %s NoReplicateChildren", at, []string{"insert", "remove", "remove"}[p.rng.IntN(3)], parent.name)
	case 8:
		p.move(at, parent, p.rng.IntN(4))
	case 9:
		if p.rng.IntN(4) == 0 {
			p.despawn(at, slices.Index(p.entities, parent))
		}
	default:
		p.say("%sattach %s %s", at, e.name, parent.name)
	}
}

// nap pauses an entity, changes a paused one, or resumes it.
func (p *plan) nap(at string) {
	e := p.any()
	for range 3 {
		if e.replicate { // paused entities are the point of this
			e = p.any()
		}
	}
	switch n := p.rng.IntN(8); {
	case e.replicate && n < 3:
		p.say("%sremove %s Replicate", at, e.name)
		e.replicate = false
	case e.replicate || n < 2:
		p.reveal(at, e)
	case n < 4:
		p.relate(at)
	case n < 6:
		p.reshape(at, e)
	default:
		p.say("%sinsert %s %s", at, e.name, p.replicate(e))
		if p.rng.IntN(2) == 0 {
			p.say("%starget %s %s", at, e.name, p.audience())
		}
	}
}

// pulse changes only values, in groups with a SendEvery.
func (p *plan) pulse(at string) {
	if p.rng.IntN(40) > 0 {
		p.writeComponent(at, p.any())
		return
	}
	for like, every, i := p.any(), 2+p.rng.IntN(4), 0; i < len(p.entities); i++ {
		if e := p.entities[i]; e == like || e.group != 0 && e.group == like.group { // or another member makes all of the group more frequent
			p.say("%srate %s every %d", at, e.name, every)
		}
	}
}

// crowdOut changes more than a cap allows, in groups with bounds and priorities.
func (p *plan) crowdOut(at string) {
	e := p.any()
	switch {
	case p.rng.IntN(12) == 0: // more at once than the cap holds
		for range 6 {
			e := p.any()
			p.say("%srate %s maxage %d", at, e.name, 1+p.rng.IntN(4))
			p.writeBulk(at, e)
		}
	case p.rng.IntN(12) == 0:
		p.rate(at, e)
	case p.rng.IntN(3) == 0:
		p.writeComponent(at, e)
	default:
		p.writeBulk(at, e)
	}
}

// writeBulk writes a component that takes many bytes.
func (p *plan) writeBulk(at string, e *planned) {
	verb := "set"
	if !slices.Contains(e.has, "bulk") {
		verb, e.has = "insert", append(e.has, "bulk")
	}
	number := p.rng.Uint64N(math.MaxUint64)
	for i := range e.data {
		e.data[i] = number
	}
	p.say("%s%s %s bulk=%s", at, verb, e.name, fmt.Sprintf("%d*%d", number, len(e.data)))
}

// toggleVisibility changes targets and owners.
func (p *plan) toggleVisibility(at string) {
	if p.rng.IntN(4) == 0 {
		p.resource(at)
		return
	}
	p.reveal(at, p.any())
}
