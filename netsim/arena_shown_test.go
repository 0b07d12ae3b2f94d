package netsim_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"unsafe"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// arenaDrone is on a body that meets no other one. Some clients predict it and the others interpolate it, and the
// server changes which.
type arenaDrone struct{ Number int32 }

// arenaMotion is a place and a speed, as of a tick or between two.
type arenaMotion struct {
	Place arenaPlace
	Speed arenaSpeed
}

func (s *arenaSetup) registerShown(p *protocol.Protocol) {
	protocol.Component[components.Interpolated](p)
	protocol.Component[arenaDrone](p).Predict(protocol.Once)
	if s.curved {
		protocol.InterpolateWith(p, protocol.Hermite[arenaPlace, arenaSpeed])
	}
}

// arenaDrones are the rules for drones.
type arenaDrones struct {
	rng   *rand.Rand
	roams bool // drones are teleported and hidden, too
	still bool
	modes map[int32][]arenaMode // by number, the newest last
	jumps map[arenaName][]entangle.Tick
}

// arenaMode has the clients that predict a drone, and those that the drone is hidden from, from a tick on.
type arenaMode struct {
	since     entangle.Tick
	everyone  bool              // predicts it
	predicts  entangle.ClientID // or this one, or Nobody
	hidesFrom entangle.ClientID
}

func (m *arenaMode) predictedBy(client entangle.ClientID) bool {
	return m.everyone || m.predicts == client
}

// modeAt returns the mode of a drone at the end of a tick.
func (d *arenaDrones) modeAt(number int32, tick entangle.Tick) (m arenaMode) {
	for _, other := range d.modes[number] {
		if !tick.Before(other.since) {
			m = other
		}
	}
	return m
}

// teleported reports whether a drone was teleported after one tick and up to another one.
func (d *arenaDrones) teleported(of arenaName, after, to entangle.Tick) bool {
	return slices.ContainsFunc(d.jumps[of], func(t entangle.Tick) bool { return after.Before(t) && !to.Before(t) })
}

const droneCount = 3

func newArenaDrones(s *arenaSetup) *arenaDrones {
	return &arenaDrones{
		rng: rand.New(rand.NewPCG(s.seed, 0x64726f6e65)), roams: s.rewinds,
		modes: map[int32][]arenaMode{}, jumps: map[arenaName][]entangle.Tick{},
	}
}

// fly returns the shared system that moves drones.
func (d *arenaDrones) fly(w *ecs.World) func() {
	all := generic.NewFilter3[arenaDrone, arenaPlace, arenaSpeed]().Without(generic.T[components.Remote]())
	return func() {
		for q := all.Query(w); q.Next(); {
			_, place, speed := q.Get()
			place.move(speed)
		}
	}
}

// direct returns the server's system that spawns drones, turns and teleports them, and changes who predicts and who
// sees them.
func (d *arenaDrones) direct(w *ecs.World) func() {
	spawn := generic.NewMap4[arenaDrone, arenaPlace, arenaSpeed, components.Replicate](w)
	for n := range droneCount {
		spawn.NewWith(&arenaDrone{int32(n + 1)}, &arenaPlace{}, d.speed(), &components.Replicate{Interpolate: components.Everyone})
	}
	all, now := generic.NewFilter4[arenaDrone, arenaPlace, arenaSpeed, components.Replicate](), ecs.GetResource[components.Time](w)
	return func() {
		if d.still {
			return
		}
		for q := all.Query(w); q.Next(); {
			drone, place, speed, replicate := q.Get()
			mode := d.modeAt(drone.Number, now.Tick)
			switch n := d.rng.IntN(60); {
			case n == 0:
				*speed = *d.speed()
			case n == 1:
				replicate.Predict = d.target(w, &mode)
			case n == 2 && d.roams:
				place.X, place.Y = float32(d.rng.IntN(14)-7), float32(d.rng.IntN(14)-7)
				plugin.Teleport(w, q.Entity())
				name := arenaName{drone.Number, true}
				d.jumps[name] = append(d.jumps[name], now.Tick)
			case n == 3 && d.roams:
				replicate.Target = d.hide(w, &mode)
			}
			if mode != d.modeAt(drone.Number, now.Tick) {
				mode.since = now.Tick
				d.modes[drone.Number] = append(d.modes[drone.Number], mode)
			}
		}
	}
}

// hide hides a drone from a client, or from none any more.
func (d *arenaDrones) hide(w *ecs.World, mode *arenaMode) components.Target {
	if mode.hidesFrom != entangle.Nobody {
		mode.hidesFrom = entangle.Nobody
		return components.Everyone
	}
	mode.hidesFrom = entangle.ClientID(1 + d.rng.IntN(2))
	return ecs.GetResource[components.Targets](w).Except(mode.hidesFrom)
}

func (d *arenaDrones) speed() *arenaSpeed {
	return &arenaSpeed{float32(d.rng.IntN(64)-32) / 128, float32(d.rng.IntN(64)-32) / 128}
}

func (d *arenaDrones) target(w *ecs.World, mode *arenaMode) components.Target {
	mode.everyone, mode.predicts = false, entangle.Nobody
	switch n := d.rng.IntN(4); n {
	case 0:
		return components.Nobody
	case 1:
		mode.everyone = true
		return components.Everyone
	default:
		mode.predicts = entangle.ClientID(n - 1)
		return ecs.GetResource[components.Targets](w).Only(mode.predicts)
	}
}

// readDrones returns the drones of a world.
func (r *arenaReader) readDrones() map[int32]arenaMotion {
	all := map[int32]arenaMotion{}
	for q := generic.NewFilter3[arenaDrone, arenaPlace, arenaSpeed]().Without(generic.T[components.Remote]()).Query(r.world); q.Next(); {
		drone, place, speed := q.Get()
		all[drone.Number] = arenaMotion{*place, *speed}
	}
	return all
}

// arenaName names a body by its shared id, or a drone by its number.
type arenaName struct {
	id    int32
	drone bool
}

// motion returns the motion of a body or a drone at the end of a tick.
func (t *arenaTruth) motion(of arenaName, tick entangle.Tick) (arenaMotion, bool) {
	if of.drone {
		m, ok := t.drones[tick][of.id]
		return m, ok
	}
	b := t.states[tick].findBody(of.id)
	if b == nil {
		return arenaMotion{}, false
	}
	return arenaMotion{b.Place, b.Speed}, true
}

// arenaShown checks what a client shows of interpolated bodies and drones: the value between the server's states of two
// ticks in a row, if the client has received both before it showed the first. What it shows on the way to a
// late or a lost state is for Watch.
type arenaShown struct {
	guest *arenaGuest
	sums  arenaShownSums

	world  *ecs.World
	now    *components.Time
	all    *generic.Filter2[arenaPlace, arenaSpeed]
	info   *registry.Component // of arenaPlace
	drones generic.Map1[arenaDrone]
	ids    generic.Map1[components.SID]
	marks  generic.Map1[components.Interpolated]
	places plugin.Confirmed[arenaPlace]
	newest plugin.Confirmed[components.Interpolated]

	came     map[ecs.Entity]map[entangle.Tick]float64 // the time that was shown when the state of a tick arrived
	was      map[ecs.Entity]bool                      // whether it was predicted
	computed map[entangle.Tick]map[int32]arenaMotion  // predicted drones at the ends of frames
}

// arenaShownSums counts what arenaShown has seen.
type arenaShownSums struct {
	bodies, drones, curved, began, ended, predicted int
}

func (p *arenaShownSums) add(o *arenaShownSums) {
	p.bodies, p.drones, p.curved = p.bodies+o.bodies, p.drones+o.drones, p.curved+o.curved
	p.began, p.ended, p.predicted = p.began+o.began, p.ended+o.ended, p.predicted+o.predicted
}

// requireAll requires that everything was seen.
func (p *arenaShownSums) requireAll(t assert.TestingT) {
	assert.Positive(t, p.bodies, "no interpolated body was compared: %+v", *p)
	assert.Positive(t, p.drones, "no interpolated drone was compared: %+v", *p)
	assert.Positive(t, p.curved, "nothing was compared with a curve: %+v", *p)
	assert.Positive(t, p.began, "no prediction began: %+v", *p)
	assert.Positive(t, p.ended, "no prediction ended: %+v", *p)
	assert.Positive(t, p.predicted, "no predicted drone was compared: %+v", *p)
}

func (s *arenaShown) Initialize(w *ecs.World) {
	s.world, s.now = w, ecs.GetResource[components.Time](w)
	s.all = generic.NewFilter2[arenaPlace, arenaSpeed]()
	s.drones, s.ids, s.marks = generic.NewMap1[arenaDrone](w), generic.NewMap1[components.SID](w), generic.NewMap1[components.Interpolated](w)
	s.places, s.newest = plugin.NewConfirmed[arenaPlace](w), plugin.NewConfirmed[components.Interpolated](w)
	s.info = arenaMoves(w)[0]
	s.came, s.was = map[ecs.Entity]map[entangle.Tick]float64{}, map[ecs.Entity]bool{}
	s.computed = map[entangle.Tick]map[int32]arenaMotion{}
}

// arenaMoves returns the registrations of arenaPlace and arenaSpeed.
func arenaMoves(w *ecs.World) (moves [2]*registry.Component) {
	for _, info := range registry.Of(apps.Of(w).Protocol).Components {
		switch info.Type {
		case reflect.TypeFor[arenaPlace]():
			moves[0] = info
		case reflect.TypeFor[arenaSpeed]():
			moves[1] = info
		}
	}
	return moves
}

func (s *arenaShown) Finalize(*ecs.World) {}

// Update checks a frame. It runs in AfterSend.
func (s *arenaShown) Update(w *ecs.World) {
	predicted := ecs.ComponentID[components.Predicted](w)
	computed := map[int32]arenaMotion{}
	for q := s.all.Query(w); q.Next(); {
		e := q.Entity()
		at, v := q.Get()
		is, of := arenaMotion{*at, *v}, s.nameOf(e)
		if value, ok := tick.DisplayOf(w).Simulated(e, s.info); ok { // what is drawn goes over to another time
			is.Place = *(*arenaPlace)(unsafe.Pointer(&value[0]))
		}
		mark := s.marks.Get(e)
		switch has := q.Has(predicted); {
		case has && mark != nil:
			q.Close()
			s.guest.oracle.fail("%v is predicted, and interpolated as well", e)
		case mark != nil:
			if s.was[e] {
				s.sums.ended++
			}
			s.expect(e, of, is, int(mark.SendEvery), q.Close)
			s.was[e] = false
		default:
			if before, known := s.was[e]; known && has && !before {
				s.sums.began++
			}
			delete(s.came, e)
			if s.was[e] = has; has && of.drone {
				computed[of.id] = is
			}
		}
	}
	s.computed[s.now.Tick] = computed
}

func (s *arenaShown) nameOf(e ecs.Entity) arenaName {
	if d := s.drones.Get(e); d != nil {
		return arenaName{d.Number, true}
	}
	if id := s.ids.Get(e); id != nil {
		return arenaName{id: id.ID}
	}
	return arenaName{}
}

// expect checks an interpolated body or drone. done is called before it fails.
func (s *arenaShown) expect(e ecs.Entity, of arenaName, is arenaMotion, every int, done func()) {
	at, share := s.guest.Client().InterpolationTime(every)
	time := float64(at) + share
	came := s.came[e]
	if came == nil {
		came = map[entangle.Tick]float64{}
		s.came[e] = came
	}
	if _, newest, ok := s.places.Get(e); ok {
		if _, known := came[newest]; !known {
			came[newest] = time
		}
	}
	began, first := came[at]
	shown, second := came[at+1]
	delete(came, at-1)
	from, ok := s.guest.arena.truth.motion(of, at)
	to, there := s.guest.arena.truth.motion(of, at+1)
	if !first || !second || !ok || !there || shown >= float64(at) || began >= float64(at-1) {
		return // it may be on a way that began when one of the two arrived
	}
	want := from
	if !s.guest.arena.drones.teleported(of, at, at+1) && !(s.guest.arena.curved && from.Place == to.Place) {
		want = s.between(from, to, share)
	}
	if differs(is.Place.X, want.Place.X) || differs(is.Place.Y, want.Place.Y) {
		done()
		s.guest.oracle.fail("at %d + %v it shows %+v, its %v, with %+v, which should be %+v: between %+v and %+v", at, share, of, e, is, want, from, to)
	}
	switch {
	case s.guest.arena.curved:
		s.sums.curved++
	case of.drone:
		s.sums.drones++
	default:
		s.sums.bodies++
	}
}

// differs reports whether two values differ by more than rounding explains.
func differs(a, b float32) bool { return math.Abs(float64(a-b)) > 1e-3 }

// between returns the motion at a share of the way between two ticks in a row.
func (s *arenaShown) between(from, to arenaMotion, share float64) (m arenaMotion) {
	seconds, t := 0.0, share
	if s.guest.arena.curved {
		seconds = 1 / float64(s.guest.arena.rate)
	}
	blend := func(a, b, va, vb float32) float32 {
		if !s.guest.arena.curved {
			return float32(float64(a)*(1-t) + float64(b)*t)
		}
		cubic := float64(a)*(2*t*t*t-3*t*t+1) + float64(b)*(3*t*t-2*t*t*t)
		return float32(cubic + seconds*(float64(va)*(t*t*t-2*t*t+t)+float64(vb)*(t*t*t-t*t)))
	}
	m.Place.X = blend(from.Place.X, to.Place.X, from.Speed.X, to.Speed.X)
	m.Place.Y = blend(from.Place.Y, to.Place.Y, from.Speed.Y, to.Speed.Y)
	return m
}

// expectPredicted checks that the drones that a client has predicted since the game is quiet are the server's.
func (s *arenaShown) expectPredicted() {
	for tick, drones := range s.computed {
		truth, ran := s.guest.arena.truth.drones[tick]
		if !ran || tick.Before(s.guest.arena.calm) {
			continue
		}
		for number, is := range drones {
			s.sums.predicted++
			require.Equal(s.guest.arena.t, truth[number], is, "%v: drone %d in tick %d at client %d", s.guest.arena.arenaSetup, number, tick, s.guest.id)
		}
	}
}
