package netsim_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/plugin"
)

// The components of random worlds that are rewound: one that is blended and snaps, one that is blended and
// extrapolated, and one that steps. Targets of views, with their settings and hierarchies, are drawn by the rest
// of a plan.
const (
	placeRewound = iota
	pathRewound
	lifeRewound
	rewoundKinds
)

// rewinds reports whether the server of a world looks at what its clients saw. Only interpolated entities are shown
// in the past, and only the players of inputs have views.
func (p *plan) rewinds(seed uint64) bool {
	rng := rand.New(rand.NewPCG(seed, 0x726577696e64))
	return p.shown.on && p.hands.on && rng.IntN(4) > 0
}

// spawnRunner has a world with rewinds have an entity that moves in each tick, and that the rest of the plan does not touch.
func (p *plan) spawnRunner(seed uint64) {
	if p.rewinds(seed) {
		p.runner = 1
		p.say("spawn runner place=0,0 path=0,0,0 life=0 Replicate")
		p.say("interpolate runner everyone")
	}
}

func (p *plan) moveRunner(n int) {
	if p.runner > 0 {
		p.runner++
		p.say("%sset runner place=%d,%d path=%d,%d,0 life=%d", inTick(n), p.runner%120-60, p.runner%7, p.runner*2%500-250, p.runner%11, p.runner/8%8)
	}
}

// onScreen is what of an entity can be rewound: on a screen, in a view, or in the server's world.
type onScreen struct {
	place place
	path  path
	life  life
	has   [rewoundKinds]bool
	past  bool // it is shown in the past
	every int  // the number of ticks from one update of it to the next
}

// rewoundReader reads it from a world.
type rewoundReader struct{ ids [rewoundKinds]ecs.ID }

func newRewoundReader(w *ecs.World) rewoundReader {
	return rewoundReader{[rewoundKinds]ecs.ID{ecs.ComponentID[place](w), ecs.ComponentID[path](w), ecs.ComponentID[life](w)}}
}

func (r *rewoundReader) read(q *ecs.Query) (is onScreen) {
	for kind, id := range r.ids {
		is.has[kind] = q.Has(id)
	}
	if is.has[placeRewound] {
		is.place = *(*place)(q.Get(r.ids[placeRewound]))
	}
	if is.has[pathRewound] {
		is.path = *(*path)(q.Get(r.ids[pathRewound]))
	}
	if is.has[lifeRewound] {
		is.life = *(*life)(q.Get(r.ids[lifeRewound]))
	}
	return is
}

// screen is what a client's screen showed in one frame, by the client's entities.
type screen map[ecs.Entity]onScreen

// screens records what a client shows, and when its player writes inputs.
type screens struct {
	guest  *guest
	last   screen
	newest entangle.Tick              // the tick of the input that was written last
	ran    entangle.Tick              // the tick in which that was
	drawn  screen                     // what was drawn last when that one was written
	at     map[entangle.Tick][]screen // by the tick of an input: what was drawn last when it was written
}

// keptScreens is for how many ticks screens are kept.
const keptScreens = 128

// draw stands for the drawing of a frame. It runs in AfterSend.
func (s *screens) draw(w *ecs.World) func() {
	reader, past := newRewoundReader(w), ecs.ComponentID[components.Interpolated](w)
	marks := []ecs.ID{ecs.ComponentID[components.Remote](w), ecs.ComponentID[components.Predicted](w)}
	return func() {
		if s.last = nil; s.guest.Client().State() != plugin.Connected {
			clear(s.at)
			s.drawn = nil
			return
		}
		s.last = screen{}
		for _, mark := range marks {
			for q := w.Query(ecs.All(mark)); q.Next(); {
				is := reader.read(&q)
				if is.past = q.Has(past); is.past {
					is.every = int((*components.Interpolated)(q.Get(past)).SendEvery)
				}
				s.last[q.Entity()] = is
			}
		}
	}
}

// press records the frame that was drawn last as the one at which an input is written. It runs in FixedInput.
func (s *screens) press(w *ecs.World) func() {
	now := ecs.GetResource[components.Time](w)
	return func() {
		if s.last == nil {
			return
		}
		tick := now.Tick + entangle.Tick(s.guest.Client().InputDelay())
		by, back := tick.Sub(s.newest), now.Tick.Before(s.ran)
		if s.drawn == nil || back || by < 1 || by > keptScreens { // the clock has jumped, or the delay has become smaller
			s.newest = tick - 1
		}
		s.ran = now.Tick
		for s.newest != tick-1 { // the last input is also of these ticks, if the delay has grown (docs/STATES.md, "A player's inputs")
			s.newest++
			s.at[s.newest] = append(s.at[s.newest], s.drawn)
		}
		s.newest, s.drawn, s.at[tick] = tick, s.last, append(s.at[tick], s.last)
		delete(s.at, now.Tick-keptScreens)
	}
}

// byOriginal returns a screen by the server's entities. It is not whole if the originals of some entities are not known.
func (s *screens) byOriginal(of screen) (all map[ecs.Entity]onScreen, whole bool) {
	all, whole = make(map[ecs.Entity]onScreen, len(of)), true
	for local, is := range of {
		if original, ok := s.guest.originals.of(local); ok {
			all[original] = is
		} else {
			whole = false
		}
	}
	return all, whole
}

// originals remembers the server's entities of a guest's replicas, also after their ends.
type originals struct {
	guest *guest
	known map[ecs.Entity]ecs.Entity
}

// record looks at the replicas of a world. It runs in AfterSend.
func (o *originals) record(w *ecs.World) func() {
	marks := []ecs.ID{ecs.ComponentID[components.Remote](w), ecs.ComponentID[components.Predicted](w)}
	return func() {
		for _, mark := range marks {
			for q := w.Query(ecs.All(mark)); q.Next(); {
				o.of(q.Entity())
			}
		}
	}
}

// of returns the server's entity of a replica. ok is false if there is none, or it is not known yet.
func (o *originals) of(local ecs.Entity) (e ecs.Entity, ok bool) {
	if e, ok = o.known[local]; ok {
		return e, true
	}
	if e, ok = o.guest.Original(local); ok {
		o.known[local] = e
	}
	return e, ok
}

// trail is the recent values of an entity of the server at the ends of its ticks.
type trail struct {
	ticks  [trailTicks]entangle.Tick
	values [trailTicks]onScreen
	newest entangle.Tick
	like   rewindSettings
	own    entangle.Tick // since when
	since  entangle.Tick // since when it and all that it depends on is the same
	pace   entangle.Tick // when SendEvery, Predict or Interpolate of it, of an ancestor or of its group changed last; 0: never
}

// trailTicks is at least for how many ticks a server with the default MaxRewind keeps values at the rate of random worlds.
const trailTicks = 64

// valueRange is between which values an entity was, and which of the others it had.
type valueRange struct {
	lows, highs [4]float64 // by axis
	lives       map[life]bool
	has         [rewoundKinds]bool
}

// valuesSince returns the range of the values from a tick on.
func (t *trail) valuesSince(tick entangle.Tick) (r valueRange) {
	r.lives = map[life]bool{}
	for i := range r.lows {
		r.lows[i], r.highs[i] = math.Inf(1), math.Inf(-1)
	}
	for i := range t.values {
		was := &t.values[i]
		if t.ticks[i].Before(tick) {
			continue
		}
		for kind := range r.has {
			r.has[kind] = r.has[kind] || was.has[kind]
		}
		if was.has[lifeRewound] {
			r.lives[was.life] = true
		}
		for axis, x := range was.axes() {
			if was.has[axis/2] {
				r.lows[axis], r.highs[axis] = min(r.lows[axis], x), max(r.highs[axis], x)
			}
		}
	}
	return r
}

// rewindSettings decide how and when an entity is shown, together with those of its ancestors and of the other members
// of its group. Until a change of them is on the screen, views are as if it were already.
type rewindSettings struct {
	components.Replicate
	paused bool
	parent ecs.Entity
}

// samePace reports whether both are shown at the same time, if they are shown.
func (s *rewindSettings) samePace(o *rewindSettings) bool {
	return s.SendEvery == o.SendEvery && s.Predict == o.Predict && s.Interpolate == o.Interpolate
}

func (t *trail) at(tick entangle.Tick) (is onScreen, ok bool) {
	i := int(tick) % trailTicks
	return t.values[i], t.ticks[i] == tick && !t.newest.Before(tick)
}

// rewindJudge compares what the server takes a client to have seen with what that client's screen showed.
type rewindJudge struct {
	scene *randomScene
	world *ecs.World
	now   *components.Time

	inputs    plugin.Inputs[hand]
	places    plugin.Rewind[place]
	paths     plugin.Rewind[path]
	lives     plugin.Rewind[life]
	relevance plugin.Relevance
	reader    rewoundReader

	hand, owner, replicate, childOf ecs.ID

	trails map[ecs.Entity]*trail
	groups map[components.Group]entangle.Tick // when settings of a member changed last
	paces  map[components.Group]entangle.Tick // the same for trail.pace

	lateAcks map[entangle.ClientID]lateAcks

	rewindSums
}

// lateAcks is how many packets a client has acknowledged after they had counted as lost, and when that grew last.
type lateAcks struct {
	packets uint64
	tick    entangle.Tick
}

// recordAcks records the late acknowledgements of all clients.
func (j *rewindJudge) recordAcks() {
	for _, c := range apps.Of(j.world).Server.Clients(nil) {
		late := j.lateAcks[c.ID]
		if c.Spurious > late.packets {
			late.tick = j.now.Tick
		}
		late.packets = c.Spurious
		j.lateAcks[c.ID] = late
	}
}

// rewindSums counts the values in views, of entities of which the settings are the same for long.
type rewindSums struct {
	same    int // as on the screen
	near    int // other than on the screen
	missing int // on the screen, and not in the view
}

func (s *rewindSums) add(j *rewindJudge) {
	s.same, s.near, s.missing = s.same+j.same, s.near+j.near, s.missing+j.missing
}

// requireExact requires that nearly all values are as on the screens. On lines that lose half of the packets the server does
// not know for long that something has arrived, and leaves it out.
func (s *rewindSums) requireExact(t assert.TestingT) {
	all := s.same + s.near + s.missing
	assert.Less(t, s.near*100, all, "more than 1 %% of the values in views differ from the screens: %+v", *s)
	assert.Less(t, s.missing*20, all, "more than 5 %% of the values on the screens are not in the views: %+v", *s)
}

// rewindEvery is the number of ticks from one look at the screens to the next.
const rewindEvery = 3

// look is the server's system that asks for views. It runs before the world changes in a tick.
func (j *rewindJudge) look(w *ecs.World) func() {
	j.world, j.now = w, ecs.GetResource[components.Time](w)
	j.inputs, j.relevance, j.reader = plugin.NewInputs[hand](w), plugin.NewRelevance(w), newRewoundReader(w)
	j.places, j.paths, j.lives = plugin.NewRewind[place](w), plugin.NewRewind[path](w), plugin.NewRewind[life](w)
	j.hand, j.owner = ecs.ComponentID[hand](w), ecs.ComponentID[components.ControlledBy](w)
	j.replicate, j.childOf = ecs.ComponentID[components.Replicate](w), ecs.ComponentID[components.ChildOf](w)
	j.trails = map[ecs.Entity]*trail{}
	j.groups, j.paces = map[components.Group]entangle.Tick{}, map[components.Group]entangle.Tick{}
	j.lateAcks = map[entangle.ClientID]lateAcks{}
	return func() {
		j.recordAcks()
		if j.now.Tick%rewindEvery > 0 {
			return
		}
		shooters := map[entangle.ClientID]ecs.Entity{}
		for q := w.Query(ecs.All(j.hand)); q.Next(); {
			client := entangle.Nobody
			if q.Has(j.owner) {
				client = (*components.ControlledBy)(q.Get(j.owner)).Client
			}
			if other, some := shooters[client]; !some || j.inputs.Status(other) != plugin.FreshInput {
				shooters[client] = q.Entity()
			}
		}
		for client, shooter := range shooters {
			j.judge(client, shooter)
		}
	}
}

// rewoundView is what the server takes a player to have seen.
type rewoundView struct {
	client  entangle.ClientID
	shooter ecs.Entity
	targets map[ecs.Entity]onScreen // those that are shown in the past
}

// judge looks at what one player saw.
func (j *rewindJudge) judge(client entangle.ClientID, shooter ecs.Entity) {
	places, paths, lives := j.places.View(shooter), j.paths.View(shooter), j.lives.View(shooter)
	status := j.inputs.Status(shooter)
	v := rewoundView{client: client, shooter: shooter, targets: map[ecs.Entity]onScreen{}}
	rewound, repeated := 0, false
	for i := range places.Len() {
		is, e := onScreen{past: true}, ecs.Entity{}
		set := func(kind int, of ecs.Entity, ok bool) {
			if is.has[kind] = ok; ok {
				e = of
			}
		}
		of, place, ok := places.At(i)
		is.place = place
		set(placeRewound, of, ok)
		of, path, ok := paths.At(i)
		is.path = path
		set(pathRewound, of, ok)
		of, life, ok := lives.At(i)
		is.life = life
		set(lifeRewound, of, ok)
		if e.IsZero() {
			continue
		}
		how := places.Rewound(i)
		repeated = repeated || how.Repeated
		if how.Present {
			j.checkPresent(&v, e, &is)
			continue
		}
		rewound++
		if _, twice := v.targets[e]; twice {
			j.fail(&v, e, "is in it twice")
		}
		v.targets[e] = is
		j.checkWithinHistory(&v, e, &is)
		j.checkTime(&v, e, &how)
	}
	switch guest := j.guestOf(client); {
	case guest == nil || status == plugin.NoInput:
		if rewound > 0 {
			j.fail(&v, shooter, "is rewound, and its player sees the present")
		}
		j.count(rewoundPresent)
	case places.Clamped():
		j.count(rewoundClamped)
	case repeated || status != plugin.FreshInput:
		j.count(rewoundRepeated)
	default:
		j.compare(guest, &v)
	}
}

func (j *rewindJudge) guestOf(client entangle.ClientID) *guest {
	for _, g := range j.scene.guests {
		if g.ID() == client {
			return g
		}
	}
	return nil
}

// The rare things that views have.
const (
	rewoundPresent  = "rewound: a player who sees the present"
	rewoundNow      = "rewound: a target of the present"
	rewoundClamped  = "rewound: a clamped view"
	rewoundRepeated = "rewound: an input that did not arrive"
	rewoundGone     = "rewound: a target that the player has lost since"
	rewoundDead     = "rewound: a target that is despawned"
	rewoundMasked   = "rewound: a target with a hidden component"
	rewoundPaced    = "rewound: a target that is shown at another time since, and was not on the screen"
	rewoundAlmost   = "rewound: a value other than on the screen"
	rewoundTooOld   = "rewound: a value on the screen is older than a view may have"
	rewoundLateAck  = "rewound: a value other than on the screen, and a packet that counts as lost has arrived"
	rewoundMissing  = "rewound: a value on the screen is not in the view"
	rewoundWaited   = "rewound: a movement that began late"
	rewoundSame     = "rewound: a value as on the screen"
)

// rewoundBranches are those that are found in every hundred worlds. A value other than on the screen is found in one of several
// hundred.
var rewoundBranches = []string{
	rewoundPresent, rewoundNow, rewoundClamped, rewoundRepeated, rewoundGone, rewoundDead, rewoundMasked, rewoundMissing, rewoundWaited,
	rewoundSame,
}

func (j *rewindJudge) count(branch string) { j.scene.rare.count[branch]++ }

func (j *rewindJudge) fail(v *rewoundView, e ecs.Entity, format string, values ...any) {
	require.Failf(j.scene.t, "a view is wrong", "what client %d saw at tick %d with %v: %v "+format, append([]any{v.client, j.now.Tick, v.shooter, e}, values...)...)
}

// checkTime checks how far a target is rewound.
func (j *rewindJudge) checkTime(v *rewoundView, e ecs.Entity, how *plugin.Rewound) {
	at := float64(j.now.Tick) - how.By
	if back := float64(how.Tick) + how.Fraction; math.Abs(back-at) > 1e-6 || how.By < 0 || how.By > randomRate {
		j.fail(v, e, "is rewound by %v to %v: %+v", how.By, back, how)
	}
	switch {
	case !j.world.Alive(e) && !how.Gone:
		j.fail(v, e, "is despawned, and not gone")
	case !j.world.Alive(e):
		j.count(rewoundDead)
	case how.Gone:
		j.count(rewoundGone)
	}
}

// checkPresent checks a target that is not rewound: it is as of the end of the last tick.
func (j *rewindJudge) checkPresent(v *rewoundView, e ecs.Entity, is *onScreen) {
	j.count(rewoundNow)
	if j.trails[e] == nil {
		j.fail(v, e, "was not there in the last tick")
	}
	was, ok := j.trails[e].at(j.now.Tick - 1)
	for kind, has := range is.has {
		if has && (!ok || !was.has[kind] || !is.near(&was, kind)) {
			j.fail(v, e, "is %+v, and was %+v in the last tick", *is, was)
		}
	}
}

// checkWithinHistory checks that each value is between former values of the entity.
func (j *rewindJudge) checkWithinHistory(v *rewoundView, e ecs.Entity, is *onScreen) {
	t := j.trails[e]
	if t == nil {
		j.fail(v, e, "has not been there")
	}
	r := t.valuesSince(j.now.Tick - trailTicks)
	for axis, x := range is.axes() {
		over := float64(wireStep)
		if axis/2 == pathRewound {
			over += 4 * (r.highs[axis] - r.lows[axis]) // it is extrapolated
		}
		if is.has[axis/2] && (x < r.lows[axis]-over || x > r.highs[axis]+over) {
			j.fail(v, e, "is at %+v, and was between %v and %v", *is, r.lows, r.highs)
		}
	}
	for kind := range r.has {
		if is.has[kind] && !r.has[kind] || kind == lifeRewound && is.has[kind] && !r.lives[is.life] {
			j.fail(v, e, "is %+v, of which it never had component %d", *is, kind)
		}
	}
}

// isTooOld reports whether a screen shows an entity as it was before the oldest tick of views, because no update has arrived
// since: no view may have that. A path is left out, since it is extrapolated.
func (j *rewindJudge) isTooOld(e ecs.Entity, was *onScreen) bool {
	r := j.trails[e].valuesSince(j.now.Tick - randomRate - entangle.Tick(was.every))
	axes, tooOld := was.axes(), was.has[lifeRewound] && !r.lives[was.life]
	for axis := range 2 {
		tooOld = tooOld || was.has[placeRewound] && (axes[axis] < r.lows[axis]-wireStep || axes[axis] > r.highs[axis]+wireStep)
	}
	return tooOld
}

// axes returns the coordinates, two of each blended component, as they are sent.
func (s *onScreen) axes() [4]float64 {
	clamp := func(x float32, most float64) float64 { return min(max(float64(x), -most), most) }
	return [4]float64{clamp(s.place.X, 64), clamp(s.place.Y, 64), clamp(s.path.X, 256), clamp(s.path.Y, 256)}
}

// wireStep is the step of the wire's precision of both, with some room for rounding.
const wireStep = 0.126

// near reports whether two values of a component are equal to within the precision of the wire.
func (s *onScreen) near(o *onScreen, kind int) bool {
	if kind == lifeRewound {
		return s.life == o.life
	}
	a, b := s.axes(), o.axes()
	off := max(math.Abs(a[2*kind]-b[2*kind]), math.Abs(a[2*kind+1]-b[2*kind+1]))
	return off <= wireStep && (kind != pathRewound || math.Abs(math.Remainder(float64(s.path.Turn-o.path.Turn), 2*math.Pi)) < 0.1)
}

// compare compares a view with what the client drew.
func (j *rewindJudge) compare(g *guest, v *rewoundView) {
	drawn := g.screens.at[j.now.Tick]
	if len(drawn) == 0 {
		return
	}
	var problem func()
	var closest map[ecs.Entity]onScreen
	most := -1
	for _, d := range drawn { // more than one, if the delay or the clock has jumped
		shown, whole := g.screens.byOriginal(d)
		if p := j.compareWith(v, shown, whole); p != nil {
			problem = p
		} else if n := v.countEqual(shown); n > most {
			closest, most = shown, n
		}
	}
	if closest == nil {
		problem()
		return
	}
	j.measure(v, closest)
}

// countEqual returns how many values of a view are as on a screen.
func (v *rewoundView) countEqual(shown map[ecs.Entity]onScreen) (n int) {
	for e, is := range v.targets {
		was, there := shown[e]
		for kind, has := range is.has {
			if there && has && was.has[kind] && is.near(&was, kind) {
				n++
			}
		}
	}
	return n
}

// compareWith checks that nothing is in a view that was not on a screen. It returns what reports the first such thing, or nil.
func (j *rewindJudge) compareWith(v *rewoundView, shown map[ecs.Entity]onScreen, whole bool) (problem func()) {
	for e, is := range v.targets {
		was, there := shown[e]
		if pace := j.trails[e].pace; !there && pace != 0 && j.now.Tick.Before(pace+unchangedFor) {
			j.count(rewoundPaced) // the view is as if the change were on the screen (docs/LAG-COMPENSATION.md, "What is not")
		} else if !there && whole {
			return func() { j.fail(v, e, "is %+v, and was not on the screen", is) }
		}
		for kind, has := range is.has {
			if there && has && !was.has[kind] && j.isUnchanged(e) {
				return func() { j.fail(v, e, "is %+v, and the screen showed %+v", is, was) }
			}
		}
	}
	return nil
}

// measure counts how exact a view is.
func (j *rewindJudge) measure(v *rewoundView, shown map[ecs.Entity]onScreen) {
	for e, was := range shown {
		if !was.past || !j.isUnchanged(e) {
			continue
		}
		is, there := v.targets[e]
		for kind := range is.has {
			switch {
			case is.has[kind] && is.near(&was, kind):
				j.same++
				j.count(rewoundSame)
			case is.has[kind] && j.isTooOld(e, &was):
				j.count(rewoundTooOld)
			case is.has[kind] && j.hasLateAck(v.client):
				j.count(rewoundLateAck)
			case is.has[kind]:
				j.near++
				j.count(rewoundAlmost)
			case was.has[kind] && j.world.Alive(e) && j.relevance.Sees(e, v.client) && j.world.Has(e, j.replicate):
				j.missing++
				j.count(rewoundMissing)
			case there && j.hasNow(e, kind):
				j.count(rewoundMasked)
			}
		}
	}
}

// hasLateAck reports whether a client has acknowledged a packet a short time ago that counts as lost: what it brought is on
// the screen, and in no view (docs/LAG-COMPENSATION.md, "What is not").
func (j *rewindJudge) hasLateAck(client entangle.ClientID) bool {
	late := j.lateAcks[client]
	return late.tick != 0 && j.now.Tick.Before(late.tick+trailTicks)
}

// expectExact returns an error if many values of the world's views differ from the screens.
func (j *rewindJudge) expectExact() error {
	if all := j.same + j.near + j.missing; j.near*20 > max(all, 200) {
		return fmt.Errorf("of %d values in views, %d differ from the screens", all, j.near)
	}
	return nil
}

func (j *rewindJudge) hasNow(e ecs.Entity, kind int) bool {
	is, ok := j.trails[e].at(j.now.Tick - 1)
	return ok && is.has[kind]
}

// unchangedFor is for how many ticks after a change of its settings an entity may be shown otherwise than the server
// knows.
const unchangedFor = 60

// isUnchanged reports whether the settings of an entity have been the same for long.
func (j *rewindJudge) isUnchanged(e ecs.Entity) bool {
	t := j.trails[e]
	return t != nil && (t.since + unchangedFor).Before(j.now.Tick)
}

// record records the values at the end of a tick.
func (j *rewindJudge) record(w *ecs.World) func() {
	return func() {
		now := j.now.Tick
		for q := w.Query(ecs.All()); q.Next(); {
			is := j.reader.read(&q)
			t := j.trails[q.Entity()]
			if t == nil {
				t = &trail{}
				j.trails[q.Entity()] = t
			}
			t.newest = now
			t.ticks[now%trailTicks], t.values[now%trailTicks] = now, is
			j.recordSettings(&q, t)
		}
		for e, t := range j.trails {
			if (t.newest + trailTicks).Before(now) {
				delete(j.trails, e)
			}
		}
	}
}

// recordSettings records how an entity is shown.
func (j *rewindJudge) recordSettings(q *ecs.Query, t *trail) {
	var like rewindSettings
	if like.paused = !q.Has(j.replicate); !like.paused {
		like.Replicate = *(*components.Replicate)(q.Get(j.replicate))
	}
	like.Target, like.Relevance = 0, 0
	if q.Has(j.childOf) {
		like.parent = q.Relation(j.childOf)
	}
	if was := t.like; like != was {
		if t.own != 0 && !like.samePace(&was) {
			t.pace = j.now.Tick
			j.paces[was.Group], j.paces[like.Group] = t.pace, t.pace
		}
		t.like, t.own = like, j.now.Tick
		j.groups[was.Group], j.groups[like.Group] = t.own, t.own
	}
	t.since = t.own
	if parent := j.trails[like.parent]; parent != nil {
		t.since, t.pace = max(t.since, parent.since), max(t.pace, parent.pace)
	}
	if like.Group != 0 {
		t.since, t.pace = max(t.since, j.groups[like.Group]), max(t.pace, j.paces[like.Group])
	}
}
