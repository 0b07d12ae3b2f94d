package netsim

import (
	"fmt"

	"github.com/entangle-ecs/entangle/netsim/internal/oracle"
)

// Watch checks after every frame from now on the guarantees that Entangle gives at any time,
// however bad the lines are, and fails the test when one does not hold:
//
//   - Each group on a client equals the server's group at the tick that the client has of it, as
//     far as the client was allowed to see it then: the same members with all their components,
//     equal on the wire. Exceptions: a reference may be empty, and a component that is sent once
//     may have any of its values since it was inserted.
//   - Each replica is in one group of the client. An entity that moves is in its old group until it is in the new one.
//   - No group and no entity goes back in time, or is at a future tick.
//   - A client has no two replicas of one entity, and keeps the same replica as long as it is
//     allowed to see the entity.
//   - A Retained entity that a client no longer sees has the state of a tick at which the client
//     saw it, and stays on the client.
//   - An entity that is removed from the server's world despawns on a client that sees it. If it
//     was paused, it stays on the client.
//   - A client's value of a resource is one that the resource had and that was for the client, and
//     is no older than the client's previous value.
//   - A client that has joined has every entity that existed for it when it connected, unless the
//     entity has since changed its group or its visibility.
//   - The ticks of the server and of clients are consecutive, except for jumps that ClockJumped
//     reports on a client. They run at the speed of the clock, plus or minus a tenth.
//   - Data that is written to a client, whether or not it arrives, is only of entities and
//     components that the client may see at that tick.
//   - Values of a group with an interval are written to a client once per interval, unless
//     its structure changed, a client may predict the group, data was resent, there are caps, or
//     packets were left out because the client acknowledged none for 2 s.
//   - An interpolated entity has the components that the server's had at the newest tick that arrived and
//     that its timeline has reached, with their values: those of that tick, their first ones, or what is
//     between the two around the shown time. It appears and ends at its tick. The members of a group are
//     on one timeline, which never goes back, and hardly runs faster than time unless it jumps.
//
// For an entity that a client predicts, the confirmed state is checked.
//
// A paused entity stays in its group on clients with any values; a client that connected later does
// not have it. An entity without a group is a group of its own.
//
// Call it before anything is replicated. It encodes both worlds at every frame and stores every
// change, so it is for small worlds. It does not work for games that modify replicas, or the
// server's world in the set AfterSend.
func (s *Sim) Watch() {
	if s.watch == nil {
		s.watch = oracle.NewWatch()
		if s.plugin != nil {
			s.watch.Listen(s.World())
		}
	}
}

// watchFrame checks a frame that was run.
func (s *Sim) watchFrame(h *host) {
	s.t.Helper()
	if err := s.watch.CheckClock(h.world, h.lastFrame, h == s.server); err != nil {
		s.t.Fatalf("netsim: at %v, %s: %v", s.clock.Since(), s.nameOf(h), err)
	}
	if h == s.server {
		if err := s.watch.CheckServer(s.snapshot()); err != nil {
			s.t.Fatalf("netsim: at %v: %v", s.clock.Since(), err)
		}
		return
	}
	for _, p := range s.peers {
		if p.host != h {
			continue
		}
		if err := s.watch.CheckClient(p.compared()); err != nil {
			s.t.Fatalf("netsim: at %v, client %d: %v", s.clock.Since(), p.id, err)
		}
		if err := s.watch.CheckShown(p.compared(), h.lastFrame); err != nil {
			s.t.Fatalf("netsim: at %v, client %d: %v", s.clock.Since(), p.id, err)
		}
	}
}

// nameOf names the client or server of an app.
func (s *Sim) nameOf(h *host) string {
	for _, p := range s.peers {
		if p.host == h {
			return fmt.Sprintf("client %d", p.id)
		}
	}
	return "the server"
}
