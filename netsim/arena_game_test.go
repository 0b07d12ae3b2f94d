package netsim_test

import (
	"cmp"
	"slices"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// The components of arenas: a small game that clients predict in full or in part. Bodies of one
// team bounce off each other and off the walls. A bounce dazes a body and takes some of its life; a
// body without life is despawned. Players' bodies are steered and never lose life. Teams do not
// interact.
type (
	arenaPlace struct {
		X float32 `net:"range=-16..16,step=0.015625"`
		Y float32 `net:"range=-16..16,step=0.015625"`
	}
	arenaSpeed struct {
		X float32 `net:"range=-2..2,step=0.00390625"`
		Y float32 `net:"range=-2..2,step=0.00390625"`
	}
	arenaLife struct{ Points int8 }
	// arenaDaze is added by a bounce and removed some ticks later. A dazed body cannot be steered.
	arenaDaze struct{ Left uint8 }
	// arenaGrip refers to the body that this body hit last.
	arenaGrip struct{ Of ecs.Entity }
	// arenaTeam never changes.
	arenaTeam struct{ Number uint8 }
	// arenaColour is changed by the server alone, and no rule of the game reads it.
	arenaColour struct{ Color uint16 }
	// arenaGhost is hidden from all clients by an override, so it exists on the server only.
	arenaGhost struct{ Heat uint8 }

	// arenaHand is the input.
	arenaHand struct {
		X    int8  `net:"range=-1..1"`
		Y    int8  `net:"range=-1..1"`
		Dash bool  `net:"event"`
		Fire uint8 `net:"event"`
	}
)

const (
	arenaWall  = 8
	arenaReach = 1.25 // distance at which two bodies touch
	arenaDazed = 6    // ticks for which a body is dazed

	arenaCarried = 120 * ms // for which a place goes on beyond the last update, where it does
)

func arenaProtocol(s *arenaSetup) *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "arena", TickRate: s.rate})
	protocol.Component[components.SID](p)
	place, speed := protocol.Component[arenaPlace](p).Predict(protocol.Full), protocol.Component[arenaSpeed](p).Predict(protocol.Full)
	if s.shown {
		place.Interpolate(protocol.Linear)
		speed.Interpolate(protocol.Linear)
	}
	if s.carried {
		place.Extrapolate(arenaCarried)
	}
	daze := protocol.Component[arenaDaze](p).Predict(protocol.Full)
	if s.rewinds {
		place.Rewind()
		speed.Rewind()
		daze.Rewind()
	}
	protocol.Component[arenaLife](p).Predict(protocol.Full)
	protocol.Component[arenaGrip](p).Predict(protocol.Full)
	protocol.Component[arenaTeam](p).Predict(protocol.Once)
	protocol.Component[arenaBadge](p).Predict(protocol.Once)
	protocol.Component[arenaColour](p)
	protocol.Component[arenaGhost](p).Predict(protocol.Full)
	protocol.Component[components.ControlledBy](p)
	protocol.Input[arenaHand](p).Rebroadcast()
	protocol.Local[arenaTrail](p)
	protocol.Local[arenaSpark](p)
	protocol.Local[arenaLabel](p)
	if s.shown {
		s.registerShown(p)
	}
	if s.armed {
		s.registerShots(p)
	}
	return p
}

// steer applies a player's input to its body.
func (s *arenaSpeed) steer(in arenaHand) {
	push := float32(0.03)
	if in.Dash {
		push = 0.4
	}
	s.X, s.Y = float32(s.X*0.875)+float32(float32(in.X)*push), float32(s.Y*0.875)+float32(float32(in.Y)*push)
}

// move moves a body by one tick.
func (p *arenaPlace) move(s *arenaSpeed) {
	p.X, s.X = bounced(p.X+s.X, s.X)
	p.Y, s.Y = bounced(p.Y+s.Y, s.Y)
}

// bounced reflects a position and speed at the walls.
func bounced(at, speed float32) (atNow, speedNow float32) {
	switch {
	case at > arenaWall:
		return 2*arenaWall - at, -speed
	case at < -arenaWall:
		return -2*arenaWall - at, -speed
	}
	return at, speed
}

// touch reports whether two bodies hit each other: they are close, and approach each other.
func touch(p, q *arenaPlace, s, r *arenaSpeed) bool {
	dx, dy := q.X-p.X, q.Y-p.Y
	if dx > arenaReach || dx < -arenaReach || dy > arenaReach || dy < -arenaReach {
		return false
	}
	return float32(dx*(r.X-s.X))+float32(dy*(r.Y-s.Y)) < 0
}

// arenaRules is the simulation, which is the same on server and clients.
type arenaRules struct {
	world  *ecs.World
	bodies *generic.Filter6[components.SID, arenaPlace, arenaSpeed, arenaLife, arenaGrip, arenaTeam]
	dazes  generic.Map1[arenaDaze]
	hands  generic.Map1[arenaHand]
	all    []arenaActor
}

// arenaActor is one body during a tick.
type arenaActor struct {
	entity ecs.Entity
	id     int32
	place  *arenaPlace
	speed  *arenaSpeed
	life   *arenaLife
	grip   *arenaGrip
	hand   *arenaHand // nil if the body is not a player's
	team   uint8
	dazed  bool
	daze   uint8
	dead   bool
}

func (r *arenaRules) Initialize(w *ecs.World) {
	r.world = w
	r.bodies = generic.NewFilter6[components.SID, arenaPlace, arenaSpeed, arenaLife, arenaGrip, arenaTeam]().Without(generic.T[components.Remote]())
	r.dazes, r.hands = generic.NewMap1[arenaDaze](w), generic.NewMap1[arenaHand](w)
}

func (r *arenaRules) Finalize(*ecs.World) {}

func (r *arenaRules) Update(*ecs.World) {
	r.gather()
	for i := range r.all {
		r.all[i].act()
	}
	for i := range r.all {
		for k := range r.all[:i] {
			r.all[k].meet(&r.all[i])
		}
	}
	for i := range r.all {
		a := &r.all[i]
		a.dead = a.life.Points <= 0
	}
	for i := range r.all { // from here on, rows of the world move
		r.reshape(&r.all[i])
	}
}

// gather collects all simulated entities, in an order that all machines share.
func (r *arenaRules) gather() {
	r.all = r.all[:0]
	for q := r.bodies.Query(r.world); q.Next(); {
		a := arenaActor{entity: q.Entity()}
		id, place, speed, life, grip, team := q.Get()
		a.id, a.place, a.speed, a.life, a.grip, a.team = id.ID, place, speed, life, grip, team.Number
		if daze := r.dazes.Get(a.entity); daze != nil {
			a.dazed, a.daze = true, daze.Left
		}
		a.hand = r.hands.Get(a.entity)
		r.all = append(r.all, a)
	}
	slices.SortFunc(r.all, func(a, b arenaActor) int { return cmp.Compare(a.id, b.id) })
}

func (a *arenaActor) act() {
	switch {
	case a.dazed:
		a.daze--
	case a.hand != nil:
		a.speed.steer(*a.hand)
	}
	a.place.move(a.speed)
}

func (a *arenaActor) meet(b *arenaActor) {
	if a.team != b.team || !touch(a.place, b.place, a.speed, b.speed) {
		return
	}
	*a.speed, *b.speed = *b.speed, *a.speed
	a.hit(b)
	b.hit(a)
}

func (a *arenaActor) hit(by *arenaActor) {
	a.daze = arenaDazed
	a.grip.Of = by.entity
	if a.hand == nil {
		a.life.Points--
	}
}

// reshape despawns a dead body, and adds or removes the daze.
func (r *arenaRules) reshape(a *arenaActor) {
	switch {
	case a.dead:
		plugin.Despawn(r.world, a.entity)
	case a.daze == 0 && a.dazed:
		r.dazes.Remove(a.entity)
	case a.daze > 0 && !a.dazed:
		r.dazes.Assign(a.entity, &arenaDaze{a.daze})
	case a.daze > 0:
		r.dazes.Get(a.entity).Left = a.daze
	}
}

// arenaPlayer returns a player's random input for a tick. It returns the same one on every call.
func arenaPlayer(seed uint64, armed bool, client entangle.ClientID, tick entangle.Tick) arenaHand {
	mix := func(n uint64) uint64 {
		n = (n + seed*0x9e3779b97f4a7c15 + uint64(client)<<40) * 0xbf58476d1ce4e5b9
		n = (n ^ n>>29) * 0x94d049bb133111eb
		return n ^ n>>32
	}
	held := mix(uint64(tick) / 11) // the input is held for some ticks
	fire := uint8(0)
	if shot := mix(uint64(tick) | 1<<34); armed && shot%16 == 0 {
		fire = uint8(1 + shot>>8%3)
	}
	return arenaHand{Fire: fire, X: int8(held%3) - 1, Y: int8(held/3%3) - 1, Dash: mix(uint64(tick)|1<<33)%24 == 0}
}
