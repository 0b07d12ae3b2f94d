package netsim_test

import (
	"fmt"

	"github.com/entangle-ecs/entangle/netsim/internal/scene"
	"github.com/entangle-ecs/entangle/plugin"
)

// addGrid adds a grid over the positions of entities to the server, and makes the scene compute the
// expected visibility.
func (s *randomScene) addGrid(server *plugin.Server) {
	if s.limits.grid == 0 {
		return
	}
	config := plugin.GridConfig{Radius: 20, Hysteresis: 0.3, Every: s.limits.grid}
	at := func(p *place) (x, y float32) { return p.X, p.Y }
	server.AddSystem(plugin.BeforeSend, plugin.NewGrid(config, at))
	server.AddSystem(plugin.BeforeSend, scene.PlainGrid(s.Game, config, at))
}

// rooms is how many rooms random worlds have, numbered from 1.
const rooms = 3

// relevance writes the field Relevance of a Replicate as a word of a script, or nothing in worlds
// without interest.
func (p *plan) relevance() string {
	if n := p.rng.IntN(5); p.interest && n < 4 {
		return fmt.Sprintf(",Relevance:%d", 1+n%2)
	}
	return ""
}

// matter changes which entities are relevant to which clients.
func (p *plan) matter(at string) {
	e, client, room := p.any().name, 1+p.rng.IntN(maxGuests), p.room()
	if p.host && p.rng.IntN(5) == 0 {
		client = hostPlayer
	}
	if p.grid && p.rng.IntN(3) == 0 {
		p.view(at, e, client)
		return
	}
	switch p.rng.IntN(14) {
	case 0, 1, 2:
		p.say("%sroom %d %s client %d", at, room, p.addOrRemove(), client)
	case 3, 4, 5:
		p.say("%sroom %d %s entity %s", at, room, p.addOrRemove(), e)
	case 6, 7, 8:
		p.say("%s%s %s %d", at, []string{"gain", "lose", "forget", "forget"}[p.rng.IntN(4)], e, client)
	case 9:
		p.say("%srelevance %s %s", at, e, []string{"always", "interest", "retained"}[p.rng.IntN(3)])
	case 10, 11:
		p.travel(at, e, client)
	case 12:
		p.flicker(at, room, e)
	default:
		p.say("%starget %s room %d", at, e, room)
	}
}

// view adds or removes a viewer for a client or a room.
func (p *plan) view(at, e string, client int) {
	switch p.rng.IntN(6) {
	case 0:
		p.say("%sviewer %s off", at, e)
	case 1, 2:
		p.say("%sviewer %s radius %d room %d", at, e, p.rng.IntN(20), p.room())
	default:
		p.say("%sviewer %s radius %d", at, e, p.rng.IntN(20))
		p.say("%sowner %s %d keep", at, e, client)
	}
}

// step moves an entity in worlds with a grid: a little, or rarely anywhere.
func (p *plan) step(e *planned) string {
	for i := range e.place {
		if e.place[i] += float32(p.rng.IntN(33)-16) / 8; p.rng.IntN(16) == 0 {
			e.place[i] = float32(p.rng.IntN(480)-240) / 8
		}
	}
	return fmt.Sprintf("=%v,%v", e.place[0], e.place[1])
}

func (p *plan) room() int { return 1 + p.rng.IntN(rooms) }

func (p *plan) addOrRemove() string { return []string{"add", "add", "remove"}[p.rng.IntN(3)] }

// travel moves an entity, a client, or both between rooms, in one tick or over several ticks.
func (p *plan) travel(at, e string, client int) {
	from, to, part := p.room(), p.room(), p.rng.IntN(3)
	steps := []string{}
	if part != 0 {
		steps = append(steps, fmt.Sprintf("room %d remove client %d", from, client), fmt.Sprintf("room %d add client %d", to, client))
	}
	if part != 1 {
		steps = append(steps, fmt.Sprintf("room %d remove entity %s", from, e), fmt.Sprintf("room %d add entity %s", to, e))
	}
	p.rng.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	for _, step := range steps {
		p.say("%s%s", at, step)
		if p.rng.IntN(8) == 0 {
			at = later(at)
		}
	}
}

// flicker removes an entity from a room and puts it back in the same tick or the next one.
func (p *plan) flicker(at string, room int, e string) {
	p.say("%sroom %d remove entity %s", at, room, e)
	p.say("%sroom %d add entity %s", []string{at, later(at)}[p.rng.IntN(2)], room, e)
}

// greet makes entities relevant to a client that is about to join.
func (p *plan) greet() {
	if !p.interest {
		return
	}
	for n := range 3 {
		p.say("tick %d room %d add client %d", 1+n*20, p.room(), 1+p.rng.IntN(p.clients))
	}
}
