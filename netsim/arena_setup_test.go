package netsim_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
)

// arenaSetup holds the parameters of an arena.
type arenaSetup struct {
	seed    uint64
	rate    int
	clients int
	teams   int
	bodies  int  // number of bodies, without those of players
	unrest  int  // how often the server spawns and despawns at random; 0: never
	all     bool // every client predicts all teams, not only its own team
	shared  bool // all bodies that a client predicts are one group
	delay   int  // input delay in ticks
	latency time.Duration
	jitter  time.Duration
	loss    float64
	ghosts  bool // bodies have a component that is hidden from all clients
	dumb    bool // clients roll back to every confirmed tick
	shown   bool // bodies that a client does not predict are interpolated, and so are some drones
	curved  bool // and along curves
	armed   bool // players fire
}

// randomArena returns random parameters.
func randomArena(seed uint64) arenaSetup {
	rng := rand.New(rand.NewPCG(seed, 0x6172656e61))
	pick := func(n int) bool { return rng.IntN(n) == 0 }
	s := arenaSetup{seed: seed, rate: 30, clients: 2 + rng.IntN(3), teams: 1 + rng.IntN(3), bodies: rng.IntN(9), unrest: rng.IntN(3)}
	if pick(3) {
		s.rate = 60
	}
	s.all, s.shared = pick(2), pick(2)
	if pick(3) {
		s.delay = 1 + rng.IntN(8)
	}
	s.latency = time.Duration(rng.IntN(150)) * ms
	s.jitter = time.Duration(rng.IntN(30)) * ms
	s.loss = []float64{0, 0, 0.02, 0.1, 0.2}[rng.IntN(5)]
	more := rand.New(rand.NewPCG(seed, 0x73686f776e)) // the games were there before
	s.shown = more.IntN(3) > 0
	s.curved = s.shown && more.IntN(2) == 0
	s.armed = s.all && more.IntN(3) > 0 // clients that predict every bullet have to predict every shooter
	return s
}

func (s arenaSetup) String() string {
	return fmt.Sprintf("arena seed %d: %d ticks per second, %d clients, %d teams, %d bodies, unrest %d, all %v, shared %v, delay %d, latency %v, jitter %v, loss %v, shown %v, curved %v, armed %v",
		s.seed, s.rate, s.clients, s.teams, s.bodies, s.unrest, s.all, s.shared, s.delay, s.latency, s.jitter, s.loss, s.shown, s.curved, s.armed)
}

func (s arenaSetup) link() netsim.Link {
	return rough(s.latency, s.jitter, s.loss)
}

func (s arenaSetup) teamOf(client entangle.ClientID) uint8 { return uint8(int(client-1) % s.teams) }

// predicts reports whether a client predicts the bodies of a team.
func (s arenaSetup) predicts(client entangle.ClientID, team uint8) bool {
	return s.all || s.teamOf(client) == team
}

// target returns the clients that predict the bodies of a team.
func (s arenaSetup) target(w *ecs.World, team uint8) components.Target {
	if s.all {
		return components.Everyone
	}
	var clients []entangle.ClientID
	for i := range s.clients {
		if client := entangle.ClientID(i + 1); s.predicts(client, team) {
			clients = append(clients, client)
		}
	}
	return ecs.GetResource[components.Targets](w).Only(clients...)
}

// replicate returns the Replicate of a body: its targets, and the clients that predict it.
func (s arenaSetup) replicate(w *ecs.World, b *arenaBody) *components.Replicate {
	r := &components.Replicate{Predict: s.target(w, b.Team)}
	if s.shown {
		r.Interpolate = components.Everyone
	}
	if s.shared {
		r.Group = components.Group(1 + b.Team)
	}
	return r
}
