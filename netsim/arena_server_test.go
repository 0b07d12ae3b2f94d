package netsim_test

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// arenaReader reads the state of an arena from a world.
type arenaReader struct {
	world  *ecs.World
	bodies *generic.Filter6[components.SID, arenaPlace, arenaSpeed, arenaLife, arenaGrip, arenaTeam]
	ids    generic.Map1[components.SID]
	dazes  generic.Map1[arenaDaze]
	owners generic.Map1[components.ControlledBy]
}

// newArenaReader returns a reader of all simulated bodies of a world.
func newArenaReader(w *ecs.World) *arenaReader {
	return &arenaReader{
		world:  w,
		bodies: generic.NewFilter6[components.SID, arenaPlace, arenaSpeed, arenaLife, arenaGrip, arenaTeam]().Without(generic.T[components.Remote]()),
		ids:    generic.NewMap1[components.SID](w),
		dazes:  generic.NewMap1[arenaDaze](w), owners: generic.NewMap1[components.ControlledBy](w),
	}
}

func (r *arenaReader) readState() (s arenaState) {
	for q := r.bodies.Query(r.world); q.Next(); {
		id, place, speed, life, grip, team := q.Get()
		b := arenaBody{ID: id.ID, Place: *place, Speed: *speed, Life: life.Points, Team: team.Number}
		if r.world.Alive(grip.Of) {
			if of := r.ids.Get(grip.Of); of != nil {
				b.Grip = of.ID
			}
		}
		if daze := r.dazes.Get(q.Entity()); daze != nil {
			b.Daze = daze.Left
		}
		if owner := r.owners.Get(q.Entity()); owner != nil {
			b.Owner = owner.Client
		}
		s = append(s, b)
	}
	slices.SortFunc(s, func(a, b arenaBody) int { return cmp.Compare(a.ID, b.ID) })
	return s.letGo()
}

// arenaLog records the inputs with which each tick was last computed.
type arenaLog struct {
	hands map[entangle.Tick]arenaHands

	world *ecs.World
	now   *components.Time
	held  *generic.Filter2[components.SID, arenaHand]
}

// Initialize implements plugin.System. This system is the first in FixedMain.
func (l *arenaLog) Initialize(w *ecs.World) {
	l.world, l.now = w, ecs.GetResource[components.Time](w)
	l.hands, l.held = map[entangle.Tick]arenaHands{}, generic.NewFilter2[components.SID, arenaHand]().Without(generic.T[components.Remote]())
}

func (l *arenaLog) Finalize(*ecs.World) {}

func (l *arenaLog) Update(*ecs.World) {
	hands := arenaHands{}
	for q := l.held.Query(l.world); q.Next(); {
		id, hand := q.Get()
		hands[id.ID] = *hand
	}
	l.hands[l.now.Tick] = hands
}

// copyOf returns a copy of the inputs of a range of ticks, which a replay does not change.
func (l *arenaLog) copyOf(from, to entangle.Tick) map[entangle.Tick]arenaHands {
	kept := map[entangle.Tick]arenaHands{}
	for t := from; !to.Before(t); t++ {
		if hands, ok := l.hands[t]; ok {
			kept[t] = hands
		}
	}
	return kept
}

// arenaTruth records the server's arena at the end of every tick, and the server's changes that do
// not follow from the rules.
type arenaTruth struct {
	states map[entangle.Tick]arenaState
	sent   map[entangle.Tick]bool // the ticks that ended a frame, unless the server sends them less often
	acts   map[entangle.Tick]arenaActs
	drones map[entangle.Tick]map[int32]arenaMotion
	shots  map[entangle.Tick]arenaVolley
	first  entangle.Tick
	last   entangle.Tick

	reader *arenaReader
}

func newArenaTruth() *arenaTruth {
	return &arenaTruth{states: map[entangle.Tick]arenaState{}, sent: map[entangle.Tick]bool{}, acts: map[entangle.Tick]arenaActs{}, drones: map[entangle.Tick]map[int32]arenaMotion{}, shots: map[entangle.Tick]arenaVolley{}}
}

// between returns a system for FixedInput, when the last tick has ended and the next one has not
// begun.
func (t *arenaTruth) between(w *ecs.World) func() {
	now := ecs.GetResource[components.Time](w)
	t.reader = newArenaReader(w)
	return func() { t.recordTick(now.Tick - 1) }
}

// after returns a system for AfterSend.
func (t *arenaTruth) after(w *ecs.World) func() {
	now := ecs.GetResource[components.Time](w)
	return func() {
		t.recordTick(now.Tick)
		t.sent[now.Tick] = true
	}
}

func (t *arenaTruth) recordTick(tick entangle.Tick) {
	if len(t.states) == 0 {
		t.first = tick
	}
	if t.states[tick] == nil {
		t.states[tick], t.last = t.reader.readState(), tick
		t.nameBodies(tick)
		t.drones[tick] = t.reader.readDrones()
		t.shots[tick], _, _ = readShots(t.reader.world)
	}
}

// nameBodies records the ids of the bodies that the server spawned in a tick.
func (t *arenaTruth) nameBodies(tick entangle.Tick) {
	acts := t.acts[tick]
	for i := range acts.Spawned {
		acts.Spawned[i].ID = t.reader.ids.Get(acts.entities[i]).ID
	}
}

// arenaServer makes the server's random changes, which do not follow from the rules. It runs in
// FixedMain after the rules.
type arenaServer struct {
	truth *arenaTruth
	rng   *rand.Rand
	setup arenaSetup
	still bool

	world   *ecs.World
	now     *components.Time
	reader  *arenaReader
	spawner generic.Map8[components.SID, arenaPlace, arenaSpeed, arenaLife, arenaGrip, arenaTeam, arenaColour, components.Replicate]
	players generic.Map2[components.ControlledBy, arenaHand]
	ghosts  generic.Map1[arenaGhost]
	hides   plugin.Override[arenaGhost]
	ids     *generic.Filter2[components.SID, arenaColour]
	badges  arenaBadges
}

func (s *arenaServer) Initialize(w *ecs.World) {
	s.world, s.now, s.reader = w, ecs.GetResource[components.Time](w), newArenaReader(w)
	s.spawner = generic.NewMap8[components.SID, arenaPlace, arenaSpeed, arenaLife, arenaGrip, arenaTeam, arenaColour, components.Replicate](w)
	s.players = generic.NewMap2[components.ControlledBy, arenaHand](w)
	s.ghosts, s.hides = generic.NewMap1[arenaGhost](w), plugin.NewOverride[arenaGhost](w)
	s.ids, s.badges = generic.NewFilter2[components.SID, arenaColour](), newArenaBadges(w, s.rng)
	for i := range s.setup.players() {
		client := entangle.ClientID(i + 1)
		b := s.random(s.setup.teamOf(client))
		b.Owner = client
		s.spawn(b)
	}
	for range s.setup.bodies {
		s.spawn(s.random(uint8(s.rng.IntN(s.setup.teams))))
	}
}

func (s *arenaServer) Finalize(*ecs.World) {}

func (s *arenaServer) Update(*ecs.World) {
	if s.still {
		return
	}
	var acts arenaActs
	now := s.reader.readState()
	if len(now) > 0 && s.rng.IntN(150) < s.setup.unrest {
		if b := now[s.rng.IntN(len(now))]; b.Owner == entangle.Nobody {
			s.despawn(b.ID)
			acts.Despawned = append(acts.Despawned, b.ID)
		}
	}
	if len(now) < s.setup.players()+s.setup.bodies && s.rng.IntN(40) < s.setup.unrest {
		b := s.random(uint8(s.rng.IntN(s.setup.teams)))
		acts.Spawned, acts.entities = append(acts.Spawned, b), append(acts.entities, s.spawn(b))
	}
	if s.rng.IntN(20) == 0 {
		s.recolour()
	}
	s.badges.change(s.world)
	s.truth.acts[s.now.Tick] = acts
}

// random returns a new random body.
func (s *arenaServer) random(team uint8) arenaBody {
	b := arenaBody{Team: team, Life: int8(1 + s.rng.IntN(4))}
	b.Place = arenaPlace{float32(s.rng.IntN(14) - 7), float32(s.rng.IntN(14) - 7)}
	b.Speed = arenaSpeed{float32(s.rng.IntN(64)-32) / 128, float32(s.rng.IntN(64)-32) / 128}
	return b
}

func (s *arenaServer) spawn(b arenaBody) (e ecs.Entity) {
	e = s.spawner.NewWith(&components.SID{}, &b.Place, &b.Speed, &arenaLife{b.Life}, &arenaGrip{}, &arenaTeam{b.Team}, &arenaColour{}, s.setup.replicate(s.world, &b))
	if b.Owner != entangle.Nobody {
		s.players.Assign(e, &components.ControlledBy{Client: b.Owner}, &arenaHand{})
	}
	if s.setup.ghosts {
		s.ghosts.Assign(e, &arenaGhost{})
		s.hides.SetTarget(e, components.Nobody)
	}
	return e
}

func (s *arenaServer) despawn(id int32) {
	var found ecs.Entity
	for q := s.ids.Query(s.world); q.Next(); {
		if at, _ := q.Get(); at.ID == id {
			found = q.Entity()
		}
	}
	s.world.RemoveEntity(found)
}

// recolour changes the colour of a body, which no rule reads.
func (s *arenaServer) recolour() {
	for q := s.ids.Query(s.world); q.Next(); {
		if _, colour := q.Get(); s.rng.IntN(3) == 0 {
			colour.Color++
		}
	}
}
