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
	ghosts  bool  // bodies have a component that is hidden from all clients
	dumb    bool  // clients roll back to every confirmed tick
	shown   bool  // bodies that a client does not predict are interpolated, and so are some drones
	curved  bool  // and along curves
	armed   bool  // players fire
	rewinds bool  // the server looks at what players saw
	carried bool  // interpolated places go on beyond the last update for some ticks
	hosted  bool  // the server is a host with a player
	late    bool  // the last client joins later
	stalls  bool  // the server stands still from time to time
	every   int   // ticks between two that the server sends
	frames  []int // frames per second of the clients, in turn; nil: those of the simulation
	first   bool  // the server looks at views before the rules move bodies, and not after it
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
	s.drawRewinds(rand.New(rand.NewPCG(seed, 0x726577696e64)))
	return s
}

// drawRewinds draws whether the server looks at what players saw, and what makes that difficult.
func (s *arenaSetup) drawRewinds(rng *rand.Rand) {
	if s.rewinds = rng.IntN(4) > 0; !s.rewinds {
		return
	}
	s.carried, s.first = s.shown && rng.IntN(2) == 0, rng.IntN(2) == 0
	s.hosted, s.late, s.stalls = rng.IntN(4) == 0, rng.IntN(3) == 0, rng.IntN(5) == 0
	if rng.IntN(4) == 0 {
		s.every = 2 + rng.IntN(2)
	}
	if rng.IntN(2) == 0 {
		for range s.clients {
			s.frames = append(s.frames, []int{30, 60, 144}[rng.IntN(3)])
		}
	}
}

// players returns the number of players: the clients, and that of a host.
func (s arenaSetup) players() int {
	if s.hosted {
		return s.clients + 1
	}
	return s.clients
}

// hostPlayer returns the id of a host's player.
func (s arenaSetup) hostPlayer() entangle.ClientID { return entangle.ClientID(s.clients + 1) }

func (s arenaSetup) String() string {
	return fmt.Sprintf("arena seed %d: %d ticks per second, %d clients, %d teams, %d bodies, unrest %d, all %v, shared %v, delay %d, latency %v, jitter %v, loss %v, shown %v, curved %v, armed %v, rewinds %v (carried %v, hosted %v, late %v, stalls %v, every %d, frames %v, first %v)",
		s.seed, s.rate, s.clients, s.teams, s.bodies, s.unrest, s.all, s.shared, s.delay, s.latency, s.jitter, s.loss, s.shown, s.curved, s.armed,
		s.rewinds, s.carried, s.hosted, s.late, s.stalls, s.every, s.frames, s.first)
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
