package main

import (
	"math"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

const (
	strollSpeed = 4 // speed per second
	runSpeed    = 9

	alarmDistance = 10 // a dot is alarmed by a box that is nearer than this
	calmDistance  = 15 // and no longer if every box is farther than this

	shortestMood = 500 * time.Millisecond // a dot strolls or rests for at least this long
	longestMood  = 3 * time.Second
)

// Mood is the behaviour of a dot: it strolls in one direction, or rests, until a tick. Only the
// server needs it.
type Mood struct {
	VX, VY float32 // speed per second
	Until  entangle.Tick
}

// alarmDots adds Alarm to the dots near a box, and removes it again. Both are visible on the clients, since Alarm is
// registered.
func alarmDots(r *realm) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		boxes := newBoxes(w)
		calm := generic.NewFilter2[Position, Mood]().Without(generic.T[Alarm]())
		alarmed := generic.NewFilter3[Position, Mood, Alarm]()
		alarm := generic.NewMap1[Alarm](w)
		var scared, relieved []ecs.Entity
		var hues []Alarm
		return func() {
			all := boxes.list()
			scared, relieved, hues = scared[:0], relieved[:0], hues[:0]
			for query := calm.Query(w); query.Next(); {
				at, mood := query.Get()
				if box, distance := nearest(all, at); distance < alarmDistance {
					mood.runFrom(box.at, *at)
					scared = append(scared, query.Entity())
					hues = append(hues, Alarm{Hue: box.hue})
				}
			}
			for query := alarmed.Query(w); query.Next(); {
				at, mood, _ := query.Get()
				box, distance := nearest(all, at)
				if distance > calmDistance {
					mood.Until = 0
					relieved = append(relieved, query.Entity())
					continue
				}
				mood.runFrom(box.at, *at)
			}
			// Structural changes have to wait until the query is closed: Arche forbids them before.
			for i, e := range scared {
				alarm.Assign(e, &hues[i])
			}
			for _, e := range relieved {
				alarm.Remove(e)
			}
		}
	})
}

// runFrom sets the direction away from a box.
func (m *Mood) runFrom(box, at Position) {
	dx, dy := at.X-box.X, at.Y-box.Y
	length := max(float32(math.Hypot(float64(dx), float64(dy))), 0.01)
	m.VX, m.VY = dx/length*runSpeed, dy/length*runSpeed
}

// moveDots returns a system in which dots stroll, rest and run. A dot that rests costs no bytes,
// because only changes are sent.
func moveDots(r *realm) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		calm := generic.NewFilter1[Mood]().Without(generic.T[Alarm]())
		all := generic.NewFilter2[Position, Mood]()
		now := ecs.GetResource[components.Time](w)
		step := secondsPerTick(w)
		return func() {
			for query := calm.Query(w); query.Next(); {
				if mood := query.Get(); !now.Tick.Before(mood.Until) {
					*mood = r.newMood(now.Tick)
				}
			}
			for query := all.Query(w); query.Next(); {
				at, mood := query.Get()
				at.X, at.Y = inField(at.X+mood.VX*step), inField(at.Y+mood.VY*step)
			}
		}
	})
}

// newMood draws the next behaviour of a dot: it rests every second time.
func (r *realm) newMood(now entangle.Tick) Mood {
	length := shortestMood + time.Duration(r.chance.Int64N(int64(longestMood-shortestMood)))
	mood := Mood{Until: now + entangle.Tick(length.Seconds()*tickRate)}
	if r.chance.IntN(2) == 0 {
		sin, cos := math.Sincos(r.chance.Float64() * 2 * math.Pi)
		mood.VX, mood.VY = float32(cos*strollSpeed), float32(sin*strollSpeed)
	}
	return mood
}

// eatDots returns a system that removes the dots that a box covers, and adds new dots to the field
// in their place.
func eatDots(r *realm) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		boxes := newBoxes(w)
		filter := generic.NewFilter2[Position, Mood]()
		spawn := generic.NewMap4[ID, Position, Mood, components.Replicate](w)
		scores := generic.NewMap[Box](w)
		var eaten []ecs.Entity
		return func() {
			all, count := boxes.list(), 0
			eaten = eaten[:0]
			for query := filter.Query(w); query.Next(); count++ {
				at, _ := query.Get()
				if box, ok := covering(all, at); ok {
					scores.Get(box.entity).Score++
					eaten = append(eaten, query.Entity())
				}
			}
			for _, dot := range eaten {
				w.RemoveEntity(dot)
			}
			r.eaten += len(eaten)
			for range r.dots - count + len(eaten) {
				id, at := r.newID(), r.anywhere()
				spawn.NewWith(&id, &at, &Mood{}, &components.Replicate{Interpolate: components.Everyone})
			}
		}
	})
}

// aBox is a box with the properties that matter to dots.
type aBox struct {
	entity ecs.Entity
	at     Position
	hue    uint8
}

// boxes lists the boxes, so that they can be read during another query.
type boxes struct {
	world  *ecs.World
	filter *generic.Filter2[Position, Box]
	all    []aBox
}

func newBoxes(w *ecs.World) *boxes {
	return &boxes{world: w, filter: generic.NewFilter2[Position, Box]()}
}

func (b *boxes) list() []aBox {
	b.all = b.all[:0]
	for query := b.filter.Query(b.world); query.Next(); {
		at, box := query.Get()
		b.all = append(b.all, aBox{entity: query.Entity(), at: *at, hue: box.Hue})
	}
	return b.all
}

// nearest returns the box that is nearest to a place, and how far it is.
func nearest(all []aBox, at *Position) (box aBox, distance float64) {
	distance = math.Inf(1)
	for _, b := range all {
		if d := math.Hypot(float64(b.at.X-at.X), float64(b.at.Y-at.Y)); d < distance {
			box, distance = b, d
		}
	}
	return box, distance
}

// covering returns a box that covers a position, if there is one.
func covering(all []aBox, at *Position) (aBox, bool) {
	for _, b := range all {
		if max(abs(b.at.X-at.X), abs(b.at.Y-at.Y)) <= boxSize/2.0 {
			return b, true
		}
	}
	return aBox{}, false
}

func abs(v float32) float32 { return max(v, -v) }
