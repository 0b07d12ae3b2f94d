package netsim

import (
	"fmt"
	"strings"
	"time"

	"github.com/entangle-ecs/entangle/netsim/internal/oracle"
)

// ExpectEqual fails the test unless Equal returns nil. On failure it first runs some more frames to
// check whether the server's world is still changing. If so, no client can be equal to it, and the
// failure lists the changes instead.
func (s *Sim) ExpectEqual() {
	s.t.Helper()
	if err := s.Equal(); err != nil {
		after := s.clock.Since()
		s.t.Fatalf("netsim: after %v: %v%s", after, err, s.restless())
	}
}

// Equal returns nil if every client is connected and has exactly the entities that the server
// replicates to it, with components that are equal on the wire; otherwise it returns an error that
// names the first difference. Paused entities may be missing on a client and may have any values.
// Of components that are sent once, only their presence is compared. For an entity that a client
// predicts, the confirmed state is compared; see ExpectPredicted. An entity that a client itself has
// removed, though the server replicates it, is a difference. Without Watch, a child that has lost its
// parent may be missing or stale, and so may its group: what limited it before is unknown.
//
// Changes take some time to arrive: before the call, let the server's systems stop changing
// replicated state, and call Run.
func (s *Sim) Equal() error {
	s.t.Helper()
	for _, p := range s.peers {
		if err := p.Equal(); err != nil {
			return err
		}
	}
	return nil
}

// Equal is Sim.Equal for one client.
func (p *Peer) Equal() error {
	p.sim.t.Helper()
	if !p.Connected() {
		if err := p.client.Err(); err != nil {
			return fmt.Errorf("client %d is %v: %w", p.id, p.client.State(), err)
		}
		return fmt.Errorf("client %d is %v", p.id, p.client.State())
	}
	if err := p.sim.snapshot().Equal(p.compared()); err != nil {
		return fmt.Errorf("client %d: %w", p.id, err)
	}
	return nil
}

// snapshot returns the present state of the server. An error fails the test.
func (s *Sim) snapshot() *oracle.Snapshot {
	s.t.Helper()
	now, err := oracle.Take(s.plugin, s.relevance, s.watch)
	if err != nil {
		s.t.Fatalf("netsim: the server's world: %v", err)
	}
	return now
}

// compared returns the client for a comparison of worlds.
func (p *Peer) compared() oracle.Client { return oracle.Client{ID: p.id, App: p.client} }

// restFrames is the number of server frames for which a world that should be at rest is watched.
const restFrames = 10

// restless names the replicated state that still changes on the server, for a comparison that has
// failed: clients are always some time behind changing state, so the difference is no fault of the
// replication. It advances time.
func (s *Sim) restless() string {
	s.t.Helper()
	s.watch = nil // the test has failed already
	before := s.snapshot()
	s.Run(restFrames * s.server.frameTime)
	moving := before.Changes(s.snapshot())
	if len(moving) == 0 {
		return ""
	}
	return fmt.Sprintf("\nThe server's world is still moving: within its next %d frames %s. Clients are always a way behind what moves, "+
		"so worlds are compared at rest: have the systems stop (a flag in a resource), run until all has arrived, and compare then",
		restFrames, strings.Join(moving, ", "))
}

// ExpectPredicted runs the simulation for a duration, and fails the test unless the clients'
// predictions match the server. For each tick, it compares a client's last frame at that tick with
// the server's later state of the same tick: the same entities, with the same components that are
// predicted in full, equal on the wire.
//
// Players may act only if their inputs cause no rollback; normally the game runs without input for
// some round trips first. The worlds are encoded at every frame.
func (s *Sim) ExpectPredicted(d time.Duration) {
	s.t.Helper()
	predictions := oracle.NewPredictions()
	s.RunUntil(d, func() bool {
		predictions.RecordServer(s.plugin.Tick(), s.snapshot)
		for _, p := range s.peers {
			predictions.RecordClient(p.compared())
		}
		return false
	})
	if err := predictions.Compare(); err != nil {
		s.t.Fatalf("netsim: after %v: %v", s.clock.Since(), err)
	}
}
