package netsim

import (
	"errors"
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// Watch checks after every frame from now on the guarantees that Entangle gives at any time,
// however bad the lines are, and fails the test when one does not hold:
//
//   - Each group on a client equals the server's group at the tick that the client has of it, as
//     far as the client was allowed to see it then: the same members with all their components,
//     equal on the wire. Exceptions: a reference may be empty, and a component that is sent once
//     may have any of its values since it was inserted.
//   - An entity in transit between groups has the state of the last tick that the client received
//     of it.
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
//   - Values of a group with an interval are written to a client once per interval, unless there
//     are other changes than values, a client may predict the group, data was resent, or there
//     are caps.
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
		s.watch = &watch{past: newPast(), held: map[*ecs.World]*holding{}, heard: map[*ecs.World]uint64{}, clocks: map[*ecs.World]*clockWatch{}}
		if s.plugin != nil {
			s.watch.listen(s.World())
		}
	}
}

// watch compares clients with the server's history.
type watch struct {
	past
	held   map[*ecs.World]*holding
	heard  map[*ecs.World]uint64 // bytes received up to the last check
	clocks map[*ecs.World]*clockWatch
	told   []endpoint.SentEntity // data written to clients in a frame
}

// holding is a client's replicated state at the last check.
type holding struct {
	entities map[ecs.Entity]entangle.Tick
	of       map[ecs.Entity]ecs.Entity        // the server's entities by the client's
	groups   map[uint32]inspect.MirroredGroup // by handle
	joined   bool
}

// watchFrame records and checks a frame that was run.
func (s *Sim) watchFrame(h *host) {
	s.t.Helper()
	s.watchClock(h)
	if h == s.server {
		s.watchServer()
		return
	}
	for _, p := range s.peers {
		if p.host != h {
			continue
		}
		// Replicas change only by received data, or when the connection ends.
		heard := p.client.Stats().BytesIn
		if heard == s.watch.heard[h.world] && p.Connected() {
			continue
		}
		s.watch.heard[h.world] = heard
		if !p.Connected() {
			delete(s.watch.held, h.world)
		}
		if err := s.watch.check(p.id, p.World(), apps.Of(p.world).ClientMirror(), p.client.Joined(), p.client.Stats().Replication.Resyncs > 0); err != nil {
			s.t.Fatalf("netsim: at %v, client %d: %v", s.clock.Since(), p.id, err)
		}
	}
}

// watchServer records the server's state after a frame.
func (s *Sim) watchServer() {
	s.t.Helper()
	m, clients := s.mirror(), s.connected()
	if w := s.watch; w.record(m, s.sight(m), clients) {
		w.recordConnected(clients)
		for _, id := range clients {
			w.recordNames(id, apps.Of(s.World()).Server.Names(id))
		}
		if err := w.checkShown(s.World(), clients); err != nil {
			s.t.Fatalf("netsim: at %v: %v", s.clock.Since(), err)
		}
	}
	if err := s.watch.checkTold(); err != nil {
		s.t.Fatalf("netsim: at %v: %v", s.clock.Since(), err)
	}
}

// connected returns the ids of the connected clients.
func (s *Sim) connected() (ids []entangle.ClientID) {
	for _, c := range s.plugin.Clients() {
		ids = append(ids, c.ID)
	}
	return ids
}

var errTwice = errors.New("two of its entities have one id")

// check compares a client with the server's history.
func (w *watch) check(id entangle.ClientID, world *ecs.World, m *inspect.Mirror, joined, resynced bool) error {
	l := look{
		past: &w.past, client: id, mirror: m, world: world, before: w.held[world],
		at: map[uint64]entangle.Tick{}, grouped: map[uint64]bool{}, joins: joined, resynced: resynced,
	}
	if l.before == nil {
		l.before = &holding{}
	}
	for _, check := range []func() error{l.entities, l.groups, l.originals, l.whole, l.ticks, l.values, l.stayed, l.ended, l.resources, l.joined} {
		if err := check(); err != nil {
			return err
		}
	}
	w.held[world] = l.now
	return nil
}

// look is one client at one moment.
type look struct {
	past     *past
	client   entangle.ClientID
	mirror   *inspect.Mirror
	world    *ecs.World // nil: the client's other entities are unknown
	before   *holding
	now      *holding
	at       map[uint64]entangle.Tick // by id: the tick of its state
	grouped  map[uint64]bool          // ids of group members
	joins    bool                     // the client reports that it has joined
	resynced bool                     // the client has requested a resync
	local    map[ecs.Entity]ecs.Entity
}

// entities collects the ticks of all entities.
func (l *look) entities() error {
	for i := range l.mirror.Entities {
		e := &l.mirror.Entities[i]
		if _, twice := l.at[e.ID]; twice {
			return errTwice
		}
		l.at[e.ID] = e.Tick
	}
	return nil
}

// groups sets the ticks of members to those of their groups: an unchanged member has the group's
// tick, too.
func (l *look) groups() error {
	for _, g := range l.mirror.Groups {
		for _, id := range g.Members {
			if last, there := l.at[id]; !there || l.grouped[id] || g.Tick.Before(last) {
				return fmt.Errorf("its group %d at tick %d has the id %d, which it has not, has in two groups, or from a later tick %d",
					g.Handle, g.Tick, id, last)
			}
			l.at[id], l.grouped[id] = g.Tick, true
		}
	}
	return nil
}

// originals finds the server's entity of each replica.
func (l *look) originals() error {
	l.local = map[ecs.Entity]ecs.Entity{}
	for _, e := range l.mirror.Entities {
		tick := l.at[e.ID]
		original, was := l.who(e.ID, tick)
		switch {
		case l.past.tick.Before(tick):
			return fmt.Errorf("its %v is at tick %d, the server at %d", e.Entity, tick, l.past.tick)
		case was == nil:
			return fmt.Errorf("its %v is at tick %d, where the server had no such entity", e.Entity, tick)
		case !was.seen[l.client].sees && !was.seen[l.client].kept:
			return fmt.Errorf("its %v at tick %d is a copy of the server's %v, which it may not see", e.Entity, tick, original)
		case !l.local[original].IsZero():
			return fmt.Errorf("its %v and %v are both copies of the server's %v", l.local[original], e.Entity, original)
		}
		l.local[original] = e.Entity
	}
	return nil
}

// who returns the server's entity that a network id names on this client, and its version at a
// tick.
func (l *look) who(id uint64, tick entangle.Tick) (ecs.Entity, *version) {
	return l.past.who(l.client, id, tick)
}

// ticks checks that no group or entity goes back in time.
func (l *look) ticks() error {
	l.now = &holding{
		entities: make(map[ecs.Entity]entangle.Tick, len(l.at)), of: map[ecs.Entity]ecs.Entity{}, groups: map[uint32]inspect.MirroredGroup{},
	}
	for _, e := range l.mirror.Entities {
		tick := l.at[e.ID]
		if before, ok := l.before.entities[e.Entity]; ok && tick.Before(before) {
			if l.grouped[e.ID] {
				return fmt.Errorf("its %v went back from tick %d to %d", e.Entity, before, tick)
			}
			tick = before
		}
		l.now.entities[e.Entity] = tick
	}
	for _, g := range l.mirror.Groups {
		if before, ok := l.before.groups[g.Handle]; ok && g.Tick.Before(before.Tick) {
			return fmt.Errorf("its group %d went back from tick %d to %d", g.Handle, before.Tick, g.Tick)
		}
		l.now.groups[g.Handle] = g
	}
	return nil
}

// values compares the components of all entities except paused ones.
func (l *look) values() error {
	for i := range l.mirror.Entities {
		e := &l.mirror.Entities[i]
		original, was := l.who(e.ID, l.at[e.ID])
		l.now.of[e.Entity] = original
		var err error
		switch {
		case was.state.Paused:
		case was.seen[l.client].kept:
			err = l.kept(e, original)
		default:
			err = l.value(e, original, was, l.at[e.ID])
		}
		if err != nil {
			return fmt.Errorf("its %v at tick %d, a copy of the server's %v: %w", e.Entity, l.at[e.ID], original, err)
		}
	}
	return nil
}

// value compares the components of one entity with the version of its original at a tick.
func (l *look) value(e *inspect.Mirrored, original ecs.Entity, was *version, tick entangle.Tick) error {
	return l.valueWithout(e, original, was, tick, visible{})
}

// valueWithout is value, ignoring components that the replica may have lost since.
func (l *look) valueWithout(e *inspect.Mirrored, original ecs.Entity, was *version, tick entangle.Tick, lost visible) error {
	t := translation{local: l.local, late: true}
	t.once = func(component int) []inspect.MirroredValue { return l.past.since(original, l.client, component, tick) }
	t.ended = func(local ecs.Entity) bool { return l.wasGone(local, tick) }
	return t.values(l.mirror.Components, lost.of(was.seen[l.client].of(was.state.Values)), lost.of(e.Values))
}

// wasGone reports whether the original of a replica did not exist at a tick.
func (l *look) wasGone(local ecs.Entity, tick entangle.Tick) bool {
	for original, copied := range l.local {
		if copied == local {
			return l.past.at(original, tick) == nil
		}
	}
	return false
}
