package netsim_test

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/plugin"
)

// arenaSeen is what a screen shows of an interpolated body or drone.
type arenaSeen struct {
	arenaMotion
	daze    int     // -1 if it is not dazed
	time    float64 // as of which it is shown, in ticks of the server
	carried bool    // it goes on beyond the last update
	changes bool    // it goes over from what the client had predicted
}

type arenaScreen map[arenaName]arenaSeen

// arenaScreens records what a client's screen shows when its player presses keys.
type arenaScreens struct {
	guest   *arenaGuest
	last    arenaScreen
	pressed map[entangle.Tick]arenaScreen // by the tick in which the input acts
	twice   map[entangle.Tick]bool        // there was an input for the tick before, which the server may have
	fired   map[entangle.Tick]bool        // an input for the tick has fired an intent
	setBack map[entangle.Tick]bool        // the clock was set back after an input for the tick was made
	newest  entangle.Tick                 // of the inputs
}

// draw returns the system that stands for the drawing of a frame. It runs in AfterSend.
func (s *arenaScreens) draw(w *ecs.World) func() {
	s.last, s.pressed, s.twice = nil, map[entangle.Tick]arenaScreen{}, map[entangle.Tick]bool{}
	s.fired, s.setBack = map[entangle.Tick]bool{}, map[entangle.Tick]bool{}
	all := generic.NewFilter3[arenaPlace, arenaSpeed, components.Interpolated]()
	drones, ids, dazes := generic.NewMap1[arenaDrone](w), generic.NewMap1[components.SID](w), generic.NewMap1[arenaDaze](w)
	confirmed, moves := plugin.NewConfirmed[arenaPlace](w), arenaMoves(w)
	if !s.guest.arena.shown {
		return func() { s.last = arenaScreen{} }
	}
	return func() {
		s.last = arenaScreen{}
		for q := all.Query(w); q.Next(); {
			e, name := q.Entity(), arenaName{}
			place, speed, mark := q.Get()
			if d := drones.Get(e); d != nil {
				name = arenaName{d.Number, true}
			} else if id := ids.Get(e); id != nil {
				name.id = id.ID
			}
			at, share := s.guest.Client().InterpolationTime(int(mark.SendEvery))
			seen := arenaSeen{arenaMotion: arenaMotion{*place, *speed}, daze: -1, time: float64(at) + share}
			if daze := dazes.Get(e); daze != nil {
				seen.daze = int(daze.Left)
			}
			if newest, of, ok := confirmed.Get(e); ok && float64(of) < seen.time {
				seen.carried = newest != *place
			}
			for _, info := range moves {
				if _, ok := tick.DisplayOf(w).Simulated(e, info); ok {
					seen.changes = true
				}
			}
			s.last[name] = seen
		}
	}
}

// press returns the system that records the last drawn frame as the one at which the player presses its keys.
func (s *arenaScreens) press(w *ecs.World) func() {
	now, hands := ecs.GetResource[components.Time](w), generic.NewFilter1[arenaHand]().With(generic.T[components.Controlled]())
	return func() {
		at := now.Tick + entangle.Tick(s.guest.Client().InputDelay())
		if _, before := s.pressed[at]; before {
			s.twice[at] = true
		}
		if s.pressed[at] = s.last; s.last == nil {
			s.twice[at] = true
		}
		for t := at; !s.newest.Before(t); t++ {
			s.setBack[t] = true
		}
		s.newest = at
		for q := hands.Query(w); q.Next(); {
			s.fired[at] = s.fired[at] || q.Get().Fire == firesIntent
		}
	}
}
