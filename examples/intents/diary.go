package main

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
)

// kept is how many ticks a diary keeps. A shot flies for fewer.
const kept = 512

// page is the shots at the end of a tick's simulation, by their ticks.
type page map[entangle.Tick]shot

// diary is what one side computed in each of the last ticks, the last time that it computed the tick.
type diary struct {
	pages    map[entangle.Tick]page
	arrivals map[entangle.Tick]arrival // of the shots that flew or wait, by their ticks
	last     arrival                   // the latest one
	tick     entangle.Tick

	early, late int // shots that arrived before their tick, and those that arrived after it
	compared    int // ticks of shots that were compared with the server's
	differing   int // those that were not equal
}

// arrival is how a shot came into a client's world.
type arrival struct {
	shot, at entangle.Tick // the shot's tick, and the client's last one
	gun      uint8
}

// wait returns for how many ticks the shot waited. Below 0, the client had computed its tick that long ago.
func (a arrival) wait() int { return int(a.shot.Sub(a.at)) - 1 }

func newDiary() *diary {
	return &diary{pages: map[entangle.Tick]page{}, arrivals: map[entangle.Tick]arrival{}}
}

// write is a system at the end of each tick's simulation.
func (d *diary) write(w *ecs.World) func() {
	all, now := generic.NewFilter3[Shell, Flight, Fuse](), ecs.GetResource[components.Time](w)
	return func() {
		p := page{}
		for q := all.Query(w); q.Next(); {
			if b, at, fuse := q.Get(); b.Gun <= guns {
				p[b.Tick] = shot{*at, *fuse}
			}
		}
		d.tick, d.pages[now.Tick] = now.Tick, p
		delete(d.pages, now.Tick-kept)
		delete(d.arrivals, now.Tick-kept)
	}
}

// watch is a system of a client that notes when shots arrive.
func (d *diary) watch(w *ecs.World) func() {
	all, now := generic.NewFilter1[Shell](), ecs.GetResource[components.Time](w)
	return func() {
		for q := all.Query(w); q.Next(); {
			b := q.Get()
			if _, known := d.arrivals[b.Tick]; known {
				continue
			}
			d.last = arrival{shot: b.Tick, at: now.Tick, gun: b.Gun}
			d.arrivals[b.Tick] = d.last
			if d.last.wait() >= 0 {
				d.early++
			} else {
				d.late++
			}
		}
	}
}

// compare compares a tick that can change no more with the server's.
func (d *diary) compare(server *diary, tick entangle.Tick) {
	is, should := d.pages[tick], server.pages[tick]
	for of, want := range should {
		if have, there := is[of]; !there || have != want {
			d.differing++
		}
		d.compared++
	}
	for of := range is {
		if _, there := should[of]; !there {
			d.differing++
		}
	}
}
