package netsim_test

import (
	"fmt"
	"math"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// arenaViews is a system of the server that looks at what each player saw, in each tick, and compares it with what
// the screen of its client showed.
type arenaViews struct {
	arena *arena
	sums  arenaViewSums

	world  *ecs.World
	now    *components.Time
	places plugin.Rewind[arenaPlace]
	speeds plugin.Rewind[arenaSpeed]
	dazes  plugin.Rewind[arenaDaze]
	inputs plugin.Inputs[arenaHand]
	bodies *generic.Filter1[components.SID]
	drones *generic.Filter1[arenaDrone]
	shells *generic.Filter3[arenaShell, arenaFlight, components.ControlledBy]
	owners generic.Map1[components.ControlledBy]
	hands  generic.Map1[arenaHand]

	named     map[ecs.Entity]arenaName
	assembled map[ecs.Entity]bool
	left      map[arenaLoss]bool // what a client has lost and not got back
}

type arenaLoss struct {
	client entangle.ClientID
	name   arenaName
}

// arenaViewed is what the server takes a player to have seen of a body or a drone.
type arenaViewed struct {
	arenaMotion
	daze    int
	rewound plugin.Rewound
}

func (v *arenaViewed) time() float64 { return float64(v.rewound.Tick) + v.rewound.Fraction }

// arenaViewSums counts what was seen.
type arenaViewSums struct {
	same, near, missing [2]int // on lines without loss, and on others
	farthest            float64
	views, intents      int
	present, hosts      int
	bots                int
	gone, back          int
	clamped, repeated   int
	teleported, carried int
	changes, waited     int
}

func (s *arenaViewSums) add(o *arenaViewSums) {
	for i := range s.same {
		s.same[i], s.near[i], s.missing[i] = s.same[i]+o.same[i], s.near[i]+o.near[i], s.missing[i]+o.missing[i]
	}
	s.farthest = max(s.farthest, o.farthest)
	s.views, s.intents, s.present = s.views+o.views, s.intents+o.intents, s.present+o.present
	s.hosts, s.bots, s.gone, s.back = s.hosts+o.hosts, s.bots+o.bots, s.gone+o.gone, s.back+o.back
	s.clamped, s.repeated = s.clamped+o.clamped, s.repeated+o.repeated
	s.teleported, s.carried = s.teleported+o.teleported, s.carried+o.carried
	s.changes, s.waited = s.changes+o.changes, s.waited+o.waited
}

// requireAll requires that all rare cases occurred, and that nearly all views equal the screens.
func (s *arenaViewSums) requireAll(t assert.TestingT) {
	for what, n := range map[string]int{
		"view of an intent": s.intents, "present target": s.present, "view of a host's player": s.hosts,
		"view of a bot": s.bots, "entity that is gone": s.gone, "entity that came back": s.back,
		"repeated input": s.repeated, "teleport": s.teleported,
		"extrapolated place": s.carried, "change of a drone's mode": s.changes, "movement that had waited": s.waited,
	} {
		assert.Positive(t, n, "no %s: %+v", what, *s)
	}
	for i, most := range arenaInexact {
		inexact := float64(s.near[i] + s.missing[i])
		assert.LessOrEqual(t, inexact, most*(inexact+float64(s.same[i])), "of %+v", *s)
	}
}

// arenaInexact are the largest shares of views of moving entities that are not what the screen showed, on lines without
// loss and on others.
var arenaInexact = [2]float64{0.025, 0.05}

func (v *arenaViews) Initialize(w *ecs.World) {
	v.world, v.now = w, ecs.GetResource[components.Time](w)
	v.places, v.speeds, v.dazes = plugin.NewRewind[arenaPlace](w), plugin.NewRewind[arenaSpeed](w), plugin.NewRewind[arenaDaze](w)
	v.inputs = plugin.NewInputs[arenaHand](w)
	v.owners, v.hands = generic.NewMap1[components.ControlledBy](w), generic.NewMap1[arenaHand](w)
	v.shells = generic.NewFilter3[arenaShell, arenaFlight, components.ControlledBy]()
	v.assembled, v.left = map[ecs.Entity]bool{}, map[arenaLoss]bool{}
}

func (v *arenaViews) Finalize(*ecs.World) {}

// names returns the system that learns which entities are alive. It runs first in FixedMain.
func (v *arenaViews) names(w *ecs.World) func() {
	v.named, v.bodies, v.drones = map[ecs.Entity]arenaName{}, generic.NewFilter1[components.SID](), generic.NewFilter1[arenaDrone]()
	return func() {
		for q := v.bodies.Query(w); q.Next(); {
			v.named[q.Entity()] = arenaName{id: q.Get().ID}
		}
		for q := v.drones.Query(w); q.Next(); {
			v.named[q.Entity()] = arenaName{q.Get().Number, true}
		}
	}
}

// Update looks at what players saw. It runs in FixedMain, before the rules or after all of them.
func (v *arenaViews) Update(w *ecs.World) {
	var ships, bots []ecs.Entity
	for q := v.bodies.Query(w); q.Next(); {
		if v.owners.Get(q.Entity()) != nil {
			ships = append(ships, q.Entity())
		} else {
			bots = append(bots, q.Entity())
		}
	}
	v.expectIntents()
	for _, ship := range ships {
		switch client := v.owners.Get(ship).Client; {
		case client == v.arena.hostPlayer():
			v.expectPresent(v.look(ship))
			v.sums.hosts++
		default:
			for _, g := range v.arena.guests {
				if g.id == client && g.Peer != nil && g.Connected() {
					v.judge(g, ship)
				}
			}
		}
	}
	if len(bots) > 0 {
		v.expectPresent(v.look(bots[0]))
		v.sums.bots++
	}
}

// look returns what the player of a ship saw.
func (v *arenaViews) look(ship ecs.Entity) map[arenaName]arenaViewed {
	seen := map[arenaName]arenaViewed{}
	places, speeds, dazes := v.places.View(ship), v.speeds.View(ship), v.dazes.View(ship)
	for i := range places.Len() {
		e, place, ok := places.At(i)
		other, speed, also := speeds.At(i)
		if !ok || !also || e != other {
			v.fail("view of %v: target %d has a place: %v, a speed: %v", ship, i, ok, also)
		}
		is := arenaViewed{arenaMotion{place, speed}, -1, places.Rewound(i)}
		if _, daze, dazed := dazes.At(i); dazed {
			is.daze = int(daze.Left)
		}
		name, known := v.named[e]
		if _, there := seen[name]; there || !known {
			v.fail("view of %v: %v %v is a target twice, or unknown", ship, name, e)
		}
		seen[name] = is
		if got, ok := places.Get(e); !ok || got != place {
			v.fail("view of %v: %v %v is found at %v, ok %v, and is at %v", ship, name, e, got, ok, place)
		}
	}
	return seen
}

// expectPresent checks a view of the present: all that there was at the end of the last tick.
func (v *arenaViews) expectPresent(seen map[arenaName]arenaViewed) {
	count := 0
	for name, is := range seen {
		v.expectTarget(nil, name, &is)
		if count++; !is.rewound.Present {
			v.fail("a view of the present has %v as of %+v", name, is.rewound)
		}
	}
	last := v.now.Tick - 1
	if v.arena.truth.last == last && v.arena.truth.first.Before(last) && count != len(v.arena.truth.states[last])+len(v.arena.truth.drones[last]) {
		v.fail("a view of the present has %d targets of %d", count, len(v.arena.truth.states[last])+len(v.arena.truth.drones[last]))
	}
}

// expectTarget checks what is always true of a target. g is nil for a view of the present.
func (v *arenaViews) expectTarget(g *arenaGuest, name arenaName, is *arenaViewed) {
	last := v.now.Tick - 1
	if by := float64(v.now.Tick) - is.time(); by != is.rewound.By || by < 1 {
		v.fail("%v is as of %+v", name, is.rewound)
	}
	motion, there := v.arena.truth.motion(name, last)
	if is.rewound.Present {
		v.sums.present++
		if is.arenaMotion != motion || !there || is.rewound.By != 1 || is.rewound.Gone {
			v.fail("%v is present, %+v, and was %+v at the end of the last tick: %v", name, *is, motion, there)
		}
		return
	}
	lost, some := !there, !there // now, and at some time of which the news may have come since
	for t := v.now.Tick - v.longest(); t.Before(v.now.Tick); t++ {
		if v.arena.truth.sent[t] && int(t)%max(v.arena.every, 1) == 0 {
			lost = !there || v.hides(g, name, t)
			some = some || lost
		}
	}
	if is.rewound.Gone && !some || lost && !is.rewound.Gone {
		v.fail("client %d: that it has lost %v since is %v, now %v, as of %+v, modes %+v", g.id, name, some, lost, is.rewound, v.arena.drones.modes[name.id])
	}
	if !v.isBetween(name, is) {
		v.fail("%v is at %+v, where it never was, as of %+v", name, is.arenaMotion, is.rewound)
	}
}

// longest returns for how many ticks something may rest on a screen, and in a view: MaxRewind and one interval.
func (v *arenaViews) longest() entangle.Tick {
	return entangle.Tick(v.arena.rate + max(v.arena.every, 1))
}

// hides reports whether a drone is hidden from a client in a tick.
func (v *arenaViews) hides(g *arenaGuest, name arenaName, tick entangle.Tick) bool {
	if !name.drone || g == nil {
		return false
	}
	mode := v.arena.drones.modeAt(name.id, tick)
	return mode.hidesFrom == g.id
}

// predicts reports whether a client predicts a body or a drone in a tick.
func (v *arenaViews) predicts(g *arenaGuest, name arenaName, tick entangle.Tick) bool {
	if name.drone {
		mode := v.arena.drones.modeAt(name.id, tick)
		return mode.predictedBy(g.id)
	}
	if b := v.arena.truth.states[tick].findBody(name.id); b != nil {
		return v.arena.predicts(g.id, b.Team)
	}
	return false
}

// isBetween reports whether a place is between places of the last ticks.
func (v *arenaViews) isBetween(name arenaName, is *arenaViewed) bool {
	low, high, some := arenaPlace{99, 99}, arenaPlace{-99, -99}, false
	step, was := float32(0.5), arenaPlace{}
	for t := v.now.Tick - v.longest(); t.Before(v.now.Tick); t++ {
		m, there := v.arena.truth.motion(name, t)
		if !there {
			continue
		}
		low.X, low.Y = min(low.X, m.Place.X), min(low.Y, m.Place.Y)
		high.X, high.Y = max(high.X, m.Place.X), max(high.Y, m.Place.Y)
		if some && !(name.drone && v.arena.drones.teleported(name, t-1, t)) {
			step = max(step, max(m.Place.X-was.X, was.X-m.Place.X, m.Place.Y-was.Y, was.Y-m.Place.Y))
		}
		was, some = m.Place, true
	}
	beyond := float32(0.016)
	if v.arena.carried {
		beyond += step * float32(arenaCarried.Seconds()*float64(v.arena.rate)+1)
	}
	if v.arena.curved {
		beyond += 0.5
	}
	p := is.Place
	return some && p.X >= low.X-beyond && p.X <= high.X+beyond && p.Y >= low.Y-beyond && p.Y <= high.Y+beyond
}

// judge compares a view with the screen of its client.
func (v *arenaViews) judge(g *arenaGuest, ship ecs.Entity) {
	seen := v.look(ship)
	drawn, pressed := g.screens.pressed[v.now.Tick]
	fresh, clamped, repeated := v.inputs.Status(ship) == plugin.FreshInput, false, false
	for name, is := range seen {
		v.expectTarget(g, name, &is)
		clamped, repeated = clamped || is.rewound.Clamped, repeated || is.rewound.Repeated
	}
	v.countGone(g, seen)
	if clamped {
		v.sums.clamped++
	}
	if repeated {
		v.sums.repeated++
	}
	if repeated && fresh {
		v.fail("client %d: the input of this tick has arrived, and the view is repeated", g.id)
	}
	if !pressed || !fresh || clamped || repeated || g.screens.twice[v.now.Tick] {
		return
	}
	v.sums.views++
	for name, is := range seen {
		if !is.rewound.Present {
			v.compare(g, name, &is, drawn)
		}
	}
	for name, d := range drawn {
		if is, there := seen[name]; there && !is.rewound.Present {
			continue
		}
		if v.isChanging(g, name, &d) {
			v.sums.changes++
		} else {
			v.count(&v.sums.missing)
		}
	}
}

// isChanging reports whether another client predicts a drone since the drone was shown.
func (v *arenaViews) isChanging(g *arenaGuest, name arenaName, d *arenaSeen) bool {
	if d != nil && d.changes {
		return true
	}
	from := v.now.Tick - entangle.Tick(2*v.arena.rate)
	for t := from; t.Before(v.now.Tick); t++ {
		if v.predicts(g, name, t) != v.predicts(g, name, v.now.Tick-1) {
			return true
		}
	}
	return false
}

// compare compares what the server sees of an entity with what the screen showed.
func (v *arenaViews) compare(g *arenaGuest, name arenaName, is *arenaViewed, drawn arenaScreen) {
	d, there := drawn[name]
	if !there {
		if !v.isChanging(g, name, nil) {
			v.fail("client %d: %v is in the view, %+v, and was not on its screen: %v, modes %+v", g.id, name, *is, drawn, v.arena.drones.modes[name.id])
		}
		v.sums.changes++
		return
	}
	if v.isChanging(g, name, &d) {
		v.sums.changes++
		return
	}
	shown := min(d.time, float64(v.now.Tick-1)) // while the server stands still, a screen goes on for a while, with all at rest
	if math.Abs(shown-is.time()) > 1.0/256+1e-9 {
		v.fail("client %d: %v was shown as of %v, and the view is as of %+v", g.id, name, d.time, is.rewound)
	}
	if is.daze >= 0 && d.daze < 0 {
		v.fail("client %d: %v is dazed in the view, %+v, and was not on its screen: %+v", g.id, name, *is, d)
	}
	if d.carried {
		v.sums.carried++
	}
	if name.drone && v.arena.drones.teleported(name, is.rewound.Tick-1, v.now.Tick) {
		v.sums.teleported++
	}
	off := max(gapBetween(d.Place.X, is.Place.X), gapBetween(d.Place.Y, is.Place.Y))
	slow := max(gapBetween(d.Speed.X, is.Speed.X), gapBetween(d.Speed.Y, is.Speed.Y))
	if off <= 1.0/64 && slow <= 1.0/256 && d.daze == is.daze {
		v.count(&v.sums.same)
		return
	}
	v.count(&v.sums.near)
	v.sums.farthest = max(v.sums.farthest, off)
}

func gapBetween(a, b float32) float64 { return math.Abs(float64(a) - float64(b)) }

// count adds one to the sum of the arena's lines.
func (v *arenaViews) count(of *[2]int) {
	if v.arena.loss > 0 {
		of[1]++
	} else {
		of[0]++
	}
}

// countGone counts entities that a client has lost, and those that it has got back.
func (v *arenaViews) countGone(g *arenaGuest, seen map[arenaName]arenaViewed) {
	for name, is := range seen {
		loss := arenaLoss{g.id, name}
		switch {
		case is.rewound.Gone:
			v.sums.gone++
			v.left[loss] = true
		case v.left[loss]:
			v.sums.back++
			delete(v.left, loss)
		}
	}
}

// replaced reports whether a client has made another input for a tick, after its clock was set back, than the one that
// fires in the tick. The first one counts, and the other one acts.
func (a *arena) replaced(client entangle.ClientID, tick entangle.Tick) bool {
	for _, g := range a.guests {
		if g.id == client && g.screens != nil {
			return g.screens.fired[tick] && g.screens.setBack[tick]
		}
	}
	return false
}

// expectIntents checks that what players fire is assembled in the tick of the input that fires it, and that the view
// of the shooter is that of this input.
func (v *arenaViews) expectIntents() {
	if !v.arena.armed {
		return
	}
	for q := v.shells.Query(v.world); q.Next(); {
		shell, _, by := q.Get()
		if v.assembled[q.Entity()] {
			continue
		}
		v.assembled[q.Entity()] = true
		hand, replaced := v.hands.Get(shell.Ship), v.arena.replaced(by.Client, shell.Tick)
		if shell.Tick != v.now.Tick || !replaced && (hand.Fire != firesIntent || v.inputs.Status(shell.Ship) != plugin.FreshInput) {
			tick, status := shell.Tick, v.inputs.Status(shell.Ship)
			q.Close()
			v.fail("what an input of tick %d fires is there in this tick, of which the input is %+v (%v)", tick, *hand, status)
		}
		if view := v.places.View(shell.Ship); by.Client != v.arena.hostPlayer() && view.Len() > 0 {
			v.sums.intents++
		}
	}
}

// finish returns the sums.
func (v *arenaViews) finish() *arenaViewSums {
	v.sums.waited = int(v.arena.sim.Server().Stats().Rewinds.Waited)
	return &v.sums
}

func (v *arenaViews) fail(format string, values ...any) {
	at := fmt.Sprintf("%v\nthe server in tick %d: ", v.arena.arenaSetup, v.now.Tick)
	require.FailNow(v.arena.t, "a view is wrong", at+fmt.Sprintf(format, values...))
}
