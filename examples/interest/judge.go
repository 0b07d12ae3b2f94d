package main

import (
	"slices"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle"
)

// keptTicks is how many ticks of visibility the judge keeps.
const keptTicks = 10 * tickRate

// name identifies a thing on all sides.
type name struct {
	Kind   uint8
	Number uint16
}

// known holds the things visible to each client at a tick; client n is at n-1.
type known [players]map[name]bool

// judge computes, from the rules alone and without the library, which things are visible to each client at
// each tick. It reads the server's things, and keeps the results for queries about earlier ticks.
type judge struct {
	ticks map[entangle.Tick]known
	last  known
	sees  map[[2]name]bool // pairs of viewer and thing, as of the last tick
}

func newJudge() *judge { return &judge{ticks: map[entangle.Tick]known{}, sees: map[[2]name]bool{}} }

// could reports whether a thing was visible to a client at a tick.
func (j *judge) could(client int, thing name, at entangle.Tick) bool {
	return j.ticks[at][client-1][thing]
}

// recordTick computes and stores which things are visible at a tick.
func (j *judge) recordTick(at entangle.Tick, r Rules, things []seen) {
	j.findVisible(r, things)
	var now known
	for client := 1; client <= players; client++ {
		now[client-1] = map[name]bool{}
		for i := range things {
			if j.matters(client, r, &things[i], things) {
				now[client-1][things[i].name()] = true
			}
		}
	}
	j.last, j.ticks[at] = now, now
	delete(j.ticks, at-keptTicks)
}

// findVisible computes the things that every viewer sees. Things that it saw before may be farther
// away.
func (j *judge) findVisible(r Rules, things []seen) {
	sees := map[[2]name]bool{}
	for i := range things {
		viewer := &things[i]
		if !r.Grid || viewer.Kind == dot || !anyOfTeam(viewer.Team, things) {
			continue
		}
		for k := range things {
			pair, reach := [2]name{viewer.name(), things[k].name()}, float32(radius)
			if j.sees[pair] {
				reach *= 1 + hysteresis
			}
			if near(viewer.Place, things[k].Place, reach) {
				sees[pair] = true
			}
		}
	}
	j.sees = sees
}

// anyOfTeam reports whether a team has a player. Otherwise its lanterns show things to nobody.
func anyOfTeam(team uint8, things []seen) bool {
	return slices.ContainsFunc(things, func(t seen) bool { return t.Kind == player && t.Team == team })
}

// matters reports whether a thing matters to a client. These do: its own player, the lanterns of
// its team, things in the chamber of its player, and things that its player or a lantern of its
// team sees.
func (j *judge) matters(client int, r Rules, t *seen, things []seen) bool {
	team := teamOf(uint16(client))
	if t.Kind == lantern {
		return t.Team == team
	}
	for i := range things {
		by := &things[i]
		own := by.Kind == player && int(by.Number) == client
		if own && (by.name() == t.name() || r.Rooms && chamberAt(by.Place) == chamberAt(t.Place)) {
			return true
		}
		if (own || by.Kind == lantern && by.Team == team) && j.sees[[2]name{by.name(), t.name()}] {
			return true
		}
	}
	return false
}

// seen is a thing of a world.
type seen struct {
	Thing
	Place
}

func (t *seen) name() name { return name{t.Kind, t.Number} }

// view reads the things of a world, which may be the server's or a client's.
type view struct {
	world  *ecs.World
	filter *generic.Filter2[Thing, Place]
}

func newView(w *ecs.World) *view {
	return &view{world: w, filter: generic.NewFilter2[Thing, Place]()}
}

// things returns all things of the world.
func (s *view) things() (all []seen) {
	for query := s.filter.Query(s.world); query.Next(); {
		thing, place := query.Get()
		all = append(all, seen{*thing, *place})
	}
	return all
}
