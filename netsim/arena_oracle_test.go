package netsim_test

import (
	"fmt"
	"slices"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/plugin"
)

// arenaOracle computes the expected predicted arena of a client after every frame: the server's
// arena at the confirmed tick, advanced by the plain model to the client's tick with the inputs
// that the client has. It copies and recomputes everything each time.
type arenaOracle struct {
	guest *arenaGuest
	hears arenaReceived

	world  *ecs.World
	now    *components.Time
	reader *arenaReader
	jumped plugin.Reader[plugin.ClockJumped]
	driven *generic.Filter2[components.SID, arenaHand]
	shown  *generic.Filter3[components.SID, arenaColour, arenaPlace]
	paints plugin.Confirmed[arenaColour]
	places plugin.Confirmed[arenaPlace]

	trailed *generic.Filter2[components.SID, arenaTrail]
	sparks  *arenaSparks

	presence *arenaPresence

	began  bool   // there was an earlier frame on this connection
	before belief // the belief after the last frame
	stats  plugin.RollbackStats
	sums   arenaSums
}

// belief is the expected state of a client in the ticks since the confirmed one.
type belief struct {
	valid     bool
	confirmed entangle.Tick
	tick      entangle.Tick
	states    map[entangle.Tick]arenaState
	hands     map[entangle.Tick]arenaHands // the inputs with which each tick was computed
	owns      map[entangle.Tick]arenaOwns
	vague     bool // the client's state at the confirmed tick is not known
}

// arenaSums counts the results of checking a client's frames.
type arenaSums struct {
	ticks, frames, exact      int // ticks confirmed, frames seen, and frames compared with the model
	mismatches, lacks, inputs int // frames that required a rollback, by cause
	rollbacks                 uint64
	trails                    int // bytes of trails that were compared
	spanned                   int // badges that were added or removed after a tick to which the client rolled back
	later                     int // bodies that differed at the confirmed tick, of which state was received only for a later tick
}

func (o *arenaOracle) Finalize(*ecs.World) {}

func (o *arenaOracle) Initialize(w *ecs.World) {
	o.world, o.now, o.reader = w, ecs.GetResource[components.Time](w), newArenaReader(w)
	o.jumped = plugin.NewReader[plugin.ClockJumped](w)
	o.driven = generic.NewFilter2[components.SID, arenaHand]().With(generic.T[components.Predicted]())
	o.shown = generic.NewFilter3[components.SID, arenaColour, arenaPlace]().With(generic.T[components.Predicted]())
	o.paints, o.places = plugin.NewConfirmed[arenaColour](w), plugin.NewConfirmed[arenaPlace](w)
	o.trailed, o.sparks = generic.NewFilter2[components.SID, arenaTrail]().With(generic.T[components.Predicted]()), newArenaSparks(w)
	o.hears = newArenaReceived(o.guest)
}

// Update checks a frame. It runs in AfterSend.
func (o *arenaOracle) Update(*ecs.World) {
	o.presence.recordBadges(o.now.Tick)
	confirmed, ok := apps.Of(o.guest.World()).Client.ConfirmedTick()
	if !ok || !o.guest.Client().Stats().Clock.Synced {
		o.hears, o.before, o.began = newArenaReceived(o.guest), belief{}, false
		return
	}
	stats := o.guest.Client().Stats().Rollbacks
	if countRollbacks(stats) > countRollbacks(o.stats) {
		o.sums.spanned += o.presence.spanned(confirmed)
	}
	o.hears.listen(confirmed)
	now := o.believe(confirmed)
	kept := int32(o.guest.arena.rate) // the ticks of one second, beyond which rollbacks do not reach
	smooth := len(o.jumped.Read()) == 0 && stats.Resyncs == o.stats.Resyncs && o.began
	now.valid = smooth && (o.before.valid || confirmed != o.before.confirmed) && !now.tick.Before(confirmed) && now.tick.Sub(confirmed) <= kept
	if o.sums.frames++; smooth {
		o.sums.ticks += int(now.tick.Sub(o.before.tick))
	}
	if now.valid {
		o.sums.exact++
		o.judge(&now, countRollbacks(stats)-countRollbacks(o.stats))
	}
	o.before, o.stats, o.began = now, stats, true
}

// judge compares a frame with the model. It omits the comparison in two cases: if server state of
// ticks after the confirmed one was overtaken by later state, and if the client's prediction at the
// confirmed tick is not known.
func (o *arenaOracle) judge(now *belief, rollbacks uint64) {
	o.expectInputs(now)
	o.expectConfirmed()
	o.expectPresence()
	if now.vague || now.confirmed.Before(o.hears.overtaken) {
		o.sums.exact--
		now.owns = nil // the client-only state is not known for a while
		return
	}
	got, want := o.reader.readState(), now.states[now.tick]
	if o.hears.behind() {
		got, want = got.looseGrips(), want.looseGrips()
	}
	if !slices.Equal(got, want) {
		o.fail("the predicted arena is not what the model makes of tick %d: %s", now.confirmed, arenaDifference(want, got))
	}
	o.expectOwn(now.owns[now.tick])
	// State of the present tick is merged without a replay, so that no rollback is expected.
	if o.before.valid && !o.before.vague && now.confirmed.Before(o.before.tick) {
		o.expectRollback(now, rollbacks)
	}
}

// believe computes the expected state of the client from the confirmed tick to its present one.
func (o *arenaOracle) believe(confirmed entangle.Tick) belief {
	now := belief{
		confirmed: confirmed, tick: o.now.Tick, states: map[entangle.Tick]arenaState{},
		hands: o.guest.log.copyOf(confirmed+1, o.now.Tick),
	}
	known := o.before.valid && o.guest.Client().Stats().Rollbacks.Blind == o.stats.Blind
	var believed arenaState
	if known && !o.before.vague && !o.before.confirmed.Before(o.hears.overtaken) {
		believed = o.before.states[confirmed]
	}
	var state arenaState
	state, now.vague = o.hears.confirmedAt(confirmed, believed)
	now.states[confirmed] = state
	for t := confirmed + 1; !now.tick.Before(t); t++ {
		state = o.hears.confirm(state.step(now.hands[t], arenaActs{}), t, confirmed)
		now.states[t] = state
	}
	if known && !o.wentBackBefore(confirmed) {
		now.own(o.before.owns[confirmed])
	} else {
		now.own(nil)
	}
	return now
}

// wentBackBefore reports whether the client has gone back to a tick before the confirmed one in this frame, for a
// blueprint of that time: the values of the client alone were computed again from there, with the present state.
func (o *arenaOracle) wentBackBefore(confirmed entangle.Tick) bool {
	of := o.guest.Client().Rollbacks()
	return countRollbacks(o.guest.Client().Stats().Rollbacks) > countRollbacks(o.stats) && of[len(of)-1].Tick.Before(confirmed)
}

// expectInputs checks that every tick was computed with all inputs known for it.
func (o *arenaOracle) expectInputs(now *belief) {
	for q := o.driven.Query(o.world); q.Next(); {
		id, _ := q.Get()
		for t := now.confirmed + 1; !now.tick.Before(t); t++ {
			known, _ := apps.InputAt[arenaHand](apps.Of(o.world), q.Entity(), t)
			if used, ok := now.hands[t][id.ID]; ok && used != known {
				q.Close()
				o.fail("tick %d was computed with %+v for body %d, and %+v is known", t, used, id.ID, known)
			}
		}
	}
}

// expectConfirmed checks that the confirmed state can be read beside the predicted one, and that
// components that follow it without rollbacks have its newest values.
func (o *arenaOracle) expectConfirmed() {
	for q := o.shown.Query(o.world); q.Next(); {
		id, shown, _ := q.Get()
		colour, _, _ := o.paints.Get(q.Entity())
		place, tick, _ := o.places.Get(q.Entity())
		was := o.guest.arena.truth.states[tick].findBody(id.ID)
		if *shown != colour || was != nil && was.Place != place {
			e := q.Entity()
			q.Close()
			o.fail("of %v it shows %+v, and the server said %+v; of its place it said %+v at tick %d, which was %+v", e, *shown, colour, place, tick, was)
		}
	}
}

// expectRollback checks that the client rolls back exactly on mispredictions, and mispredicts only
// if it lacked information.
func (o *arenaOracle) expectRollback(now *belief, rollbacks uint64) {
	believed, truth := o.before.states[now.confirmed], now.states[now.confirmed]
	wrong, input := !slices.Equal(believed, truth), o.learnt(now)
	o.sums.rollbacks += rollbacks
	switch {
	case wrong:
		o.sums.mismatches++
		o.expectLack(now, believed, truth)
	case input:
		o.sums.inputs++
	}
	others := (o.guest.arena.drones != nil || o.guest.arena.armed) && !wrong && !input // the other predicted entities have their own model
	if (wrong || input) != (rollbacks > 0) && !o.hears.news && !o.guest.arena.dumb && !others {
		o.fail("it went back %d times; wrong about tick %d: %v (%s), learnt an input: %v",
			rollbacks, now.confirmed, wrong, arenaDifference(truth, believed), input)
	}
}

// learnt reports whether the client now has another input for a tick after the confirmed one than
// it computed that tick with.
func (o *arenaOracle) learnt(now *belief) bool {
	for t := now.confirmed + 1; !o.before.tick.Before(t); t++ {
		for id, hand := range now.hands[t] {
			if used, ok := o.before.hands[t][id]; ok && used != hand {
				return true
			}
		}
	}
	return false
}

// expectLack checks that a misprediction has a cause between the previous confirmed tick and this
// one: an input that the server or the client lacked, a change by the server that does not follow
// from the rules, or state that the server sent before the client had all state of that tick.
func (o *arenaOracle) expectLack(now *belief, believed, truth arenaState) {
	a := o.guest.arena
	if o.hears.news {
		return
	}
	for t := o.before.confirmed + 1; !now.confirmed.Before(t); t++ {
		for id, hand := range a.log.hands[t] {
			if used, ok := o.before.hands[t][id]; ok && used != hand {
				o.sums.lacks++
				return
			}
		}
		if acts := a.truth.acts[t]; len(acts.Spawned)+len(acts.Despawned) > 0 {
			return
		}
	}
	o.fail("it was wrong about tick %d, though since tick %d it knew all: %s", now.confirmed, o.before.confirmed, arenaDifference(truth, believed))
}

func countRollbacks(s plugin.RollbackStats) (n uint64) {
	for _, times := range s.Rollbacks {
		n += times
	}
	return n
}

func (o *arenaOracle) fail(format string, values ...any) {
	at := fmt.Sprintf("%v\nclient %d in tick %d: ", o.guest.arena.arenaSetup, o.guest.ID(), o.now.Tick)
	require.FailNow(o.guest.arena.t, "a prediction is wrong", at+fmt.Sprintf(format, values...))
}

// arenaDifference describes how two arenas differ.
func arenaDifference(want, got arenaState) string {
	for _, b := range want {
		switch is := got.findBody(b.ID); {
		case is == nil:
			return fmt.Sprintf("there is no body %+v", b)
		case *is != b:
			return fmt.Sprintf("body %+v should be %+v", *is, b)
		}
	}
	for _, b := range got {
		if want.findBody(b.ID) == nil {
			return fmt.Sprintf("body %+v should not be there", b)
		}
	}
	return "nothing"
}
