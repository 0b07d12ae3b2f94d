package cases

import (
	"fmt"
	"math"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/rewind"
	"github.com/entangle-ecs/entangle/internal/core/snapshot"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/wire/blend"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// In the case rewind, a server of 64 players keeps the positions of 200 entities for a second, all of which
// move in each tick. One operation is a tick: its positions are kept, and then 64 shots are tested against all
// entities as their players saw them, each six ticks ago and at another fraction of a tick. In shots each
// player fires one, so that 64 views are made; in volleys eight players fire eight, and 8 views are made. In
// record the positions are only kept.
const (
	rewindPlayers  = 64
	rewindEntities = 200
	rewindTicks    = 92 // a second, and the margin
	rewindBack     = 6  // ticks
	rewindRadius   = 0.5
)

func rewindVariants() []report.Variant {
	return []report.Variant{
		{Name: "rewind/shots", Goal: 2.5, Prepare: func() (report.Sides, error) { return rewindSides(rewindPlayers) }},
		{Name: "rewind/volleys", Goal: 1.5, Prepare: func() (report.Sides, error) { return rewindSides(rewindPlayers / 8) }},
		{Name: "rewind/record", Prepare: func() (report.Sides, error) {
			s, err := newRewindScene()
			if err != nil {
				return report.Sides{}, err
			}
			return report.Sides{Before: s.move, Ours: s.record, Limit: s.recordLimit}, nil
		}},
		{Name: "rewind/memory", Unit: "bytes", Prepare: func() (report.Sides, error) {
			s, err := newRewindScene()
			if err != nil {
				return report.Sides{}, err
			}
			return report.Sides{Before: s.move, Ours: s.record, Limit: s.recordLimit, Figure: func() float64 {
				return float64(s.history.Bytes()) / rewindEntities
			}}, nil
		}},
	}
}

// rewindScene is both sides of the case.
type rewindScene struct {
	tick    entangle.Tick
	spots   []limits.RewindSpot
	slots   []uint32
	all     rewind.Entities
	history *rewind.History
	players [rewindPlayers]rewindPlayer
	limit   limits.RewindLimit
	hits    [2][rewindPlayers]int // by ours and by the limit
}

type rewindPlayer struct {
	received rewind.Received
	view     rewind.View
	at       timesync.Shown
}

func rewindSides(views int) (report.Sides, error) {
	s, err := newRewindScene()
	if err != nil {
		return report.Sides{}, err
	}
	return report.Sides{
		Before: s.move,
		Ours: func() {
			s.record()
			for shot := range rewindPlayers {
				s.hits[0][shot] = s.shoot(&s.players[shot%views], shot, shot < views)
			}
		},
		Limit: func() {
			s.recordLimit()
			for shot := range rewindPlayers {
				at := s.players[shot%views].at
				a, b := s.aim(shot)
				from, to := [3]float64{a.X, a.Y, a.Z}, [3]float64{b.X, b.Y, b.Z}
				s.hits[1][shot], _ = s.limit.Shoot(int(at.Tick()), float32(at.Fraction())/256, from, to, rewindRadius)
			}
		},
		Verify: func() error {
			if s.hits[0] != s.hits[1] {
				return fmt.Errorf("the shots hit other entities: %v and %v", s.hits[0], s.hits[1])
			}
			return nil
		},
	}, nil
}

func newRewindScene() (*rewindScene, error) {
	functions, err := blend.NewFuncs(protocol.Linear[limits.RewindSpot])
	if err != nil {
		return nil, err
	}
	kind := snapshot.Kind{Size: 12, Blend: functions.Blend, Each: functions.Each}
	s := &rewindScene{tick: 1000, history: rewind.NewHistory([]snapshot.Kind{kind}, 60, rewindTicks)}
	s.spots = make([]limits.RewindSpot, rewindEntities)
	for i := range rewindEntities {
		s.slots = append(s.slots, uint32(i))
	}
	s.all = rewind.Entities{Every: 1, Names: make([]uint64, rewindEntities), Joined: make([]entangle.Tick, rewindEntities)}
	for range rewindTicks {
		s.limit.Rows = append(s.limit.Rows, make([]limits.RewindSpot, rewindEntities))
	}
	for i := range s.players {
		for group := range rewindEntities {
			s.players[i].received.Begin(rewind.Group{Index: group}, s.tick)
			s.players[i].received.Sent(uint16(s.tick), s.tick)
			s.players[i].received.Arrived(uint16(s.tick))
			s.players[i].received.Deliver(rewind.Group{Index: group}, s.tick)
		}
	}
	for range 2 * rewindTicks {
		s.move()
		s.record()
		s.recordLimit()
	}
	return s, nil
}

// move moves the entities, and lets the updates of the tick arrive at the players.
func (s *rewindScene) move() {
	s.tick++
	for i := range s.spots {
		angle := float64(i) + float64(s.tick)/50
		s.spots[i] = limits.RewindSpot{X: float32(20 * math.Cos(angle)), Y: float32(i % 10), Z: float32(20 * math.Sin(angle))}
	}
	for i := range s.players {
		p := &s.players[i]
		arrived := s.tick - 3
		p.received.Sent(uint16(s.tick), s.tick)
		p.received.Arrived(uint16(arrived))
		p.received.AcknowledgeRange(0, rewindEntities, arrived)
		p.received.LateFramesReported()
		p.received.AcksHandled(true)
		p.at = timesync.ShownAt(s.tick-rewindBack, uint8(i*4))
	}
}

func (s *rewindScene) record() {
	s.history.Begin(s.tick, rewindEntities)
	s.history.MarkSent()
	copy(columns.ValuesOf[limits.RewindSpot](s.history.Row(0)), s.spots)
	rewind.MarkPresent(s.history, 0, s.slots)
}

func (s *rewindScene) recordLimit() { s.limit.Record(int(s.tick), s.spots) }

// aim returns the line of a shot.
func (s *rewindScene) aim(shot int) (from, to plugin.Vec) {
	sin, cos := math.Sincos(float64(shot))
	height := float64(shot % 10)
	return plugin.Vec{Y: height}, plugin.Vec{X: 30 * cos, Y: height, Z: 30 * sin}
}

// shoot returns the entity that a shot of a player hits. fresh says that it is the player's first.
func (s *rewindScene) shoot(p *rewindPlayer, shot int, fresh bool) (hit int) {
	if fresh {
		p.view.Reset(s.history, &p.received)
		p.view.Add(&s.all, p.at)
	}
	values, absent := p.view.Values(0)
	spots := columns.ValuesOf[limits.RewindSpot](values)
	hit, at := -1, 2.0
	ray := plugin.NewRay(s.aim(shot))
	for i := range spots {
		if absent[i] {
			continue
		}
		center := plugin.Vec{X: float64(spots[i].X), Y: float64(spots[i].Y), Z: float64(spots[i].Z)}
		if share, met := ray.Ball(plugin.Ball{Center: center, Radius: rewindRadius}); met && share < at {
			hit, at = i, share
		}
	}
	return hit
}
