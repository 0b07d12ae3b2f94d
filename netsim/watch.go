package netsim

import (
	"errors"
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// Watch checks after every frame from now on what Entangle promises at any time,
// however bad the lines are, and fails the test when it does not hold:
//
//   - each group that a client holds is the server's as it was at the tick that the
//     client holds of it, as far as the client might see it then: the same members, all
//     components of them, equal on the wire; but a reference may be empty, and one that
//     is sent once may be as it was at any time since it was inserted;
//   - an entity that has left one group and did not get to the next yet is as it was
//     at the tick that the client last heard of it;
//   - no group and no entity goes back in time, or is at a tick that is yet to come;
//   - a client shows no entity twice, and the same all the while that it might see it;
//   - what a client keeps of an entity that is Retained and that it sees no more is as it
//     was while it saw it, and stays there;
//   - an entity that is removed from the server's world despawns on a client that sees it, and
//     stays there if it was paused;
//   - what it has of a resource is a value that the resource had, was for it, and is no
//     older than what it had before;
//   - a client that has joined has what was there for it when it connected, unless that
//     changed its group or its clients meanwhile;
//   - the ticks of the server, and of a client but where ClockJumped says so, are counted
//     one by one, as fast as their clock runs, give or take a tenth;
//   - what is written to a client, whether or not it arrives, is of entities and
//     components that the client might see at that tick;
//   - values of a group with an interval are written to a client once in it, unless there is
//     more than values to tell, somebody may predict the group, something was sent again, or
//     there are caps.
//
// Of an entity that a client predicts, what the server has confirmed counts.
//
// An entity whose Replicate was taken off stays in its group, whatever it looks like;
// a client that came later does without it. One that has no group is a group of its
// own.
//
// Call it before anything is replicated. It encodes both worlds at every frame and
// remembers every change, so it is for small worlds. A game that changes its
// copies, or its server's world in the set AfterSend, can't be watched.
func (s *Sim) Watch() {
	if s.watch == nil {
		s.watch = &watch{past: newPast(), held: map[*ecs.World]*holding{}, heard: map[*ecs.World]uint64{}, clocks: map[*ecs.World]*clockWatch{}}
		if s.plugin != nil {
			s.watch.listen(s.plugin.World(), s.plugin.Tell)
		}
	}
}

// watch compares clients with the server's past.
type watch struct {
	past
	held   map[*ecs.World]*holding
	heard  map[*ecs.World]uint64 // bytes that had arrived at the last check
	clocks map[*ecs.World]*clockWatch
	told   []endpoint.Told // what was written to clients in a frame
}

// holding is what a client was found to hold at the last check.
type holding struct {
	entities map[ecs.Entity]entangle.Tick
	of       map[ecs.Entity]ecs.Entity        // the server's, by the client's
	groups   map[uint32]inspect.MirroredGroup // by handle
	joined   bool
}

// watchFrame takes note of a frame that was run.
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
		// A copy changes by what arrives, or goes altogether.
		heard := p.client.Stats().BytesIn
		if heard == s.watch.heard[h.world] && p.Connected() {
			continue
		}
		s.watch.heard[h.world] = heard
		if !p.Connected() {
			delete(s.watch.held, h.world)
		}
		if err := s.watch.check(p.id, p.World(), p.client.Mirror(), p.client.Joined(), p.client.Stats().Replication.Resyncs > 0); err != nil {
			s.t.Fatalf("netsim: at %v, client %d: %v", s.clock.Since(), p.id, err)
		}
	}
}

// watchServer takes note of what the server did in a frame.
func (s *Sim) watchServer() {
	s.t.Helper()
	m, clients := s.mirror(), s.connected()
	if w := s.watch; w.record(m, s.sight(m), clients) {
		w.recordConnected(clients)
		for _, id := range clients {
			w.recordNames(id, s.plugin.Names(id))
		}
		if err := w.checkShown(s.World(), clients); err != nil {
			s.t.Fatalf("netsim: at %v: %v", s.clock.Since(), err)
		}
	}
	if err := s.watch.checkTold(); err != nil {
		s.t.Fatalf("netsim: at %v: %v", s.clock.Since(), err)
	}
}

// connected returns who is connected to the server.
func (s *Sim) connected() (ids []entangle.ClientID) {
	for _, c := range s.plugin.Clients() {
		ids = append(ids, c.ID)
	}
	return ids
}

var errTwice = errors.New("two of its entities have one id")

// check compares what a client shows with what the server was like.
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
	world    *ecs.World // nil: nobody knows what else is in it
	before   *holding
	now      *holding
	at       map[uint64]entangle.Tick // by id, which tick's state it should be
	grouped  map[uint64]bool          // ids of members
	joins    bool                     // the client says that it has joined
	resynced bool                     // it has requested groups in full
	local    map[ecs.Entity]ecs.Entity
}

// entities finds the ticks of all entities.
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

// groups takes the ticks of members from their groups: who did not change is as it
// was before.
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

// originals finds the server's entity of each copy.
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

// who returns which of the server's entities has an id here, and what it was like at a
// tick.
func (l *look) who(id uint64, tick entangle.Tick) (ecs.Entity, *version) {
	return l.past.who(l.client, id, tick)
}

// ticks holds that nothing goes back in time.
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

// values compares the components of all entities but those that were paused.
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

// value compares the components of one entity with what its original was at a tick.
func (l *look) value(e *inspect.Mirrored, original ecs.Entity, was *version, tick entangle.Tick) error {
	return l.valueWithout(e, original, was, tick, visible{})
}

// valueWithout is value, but for components that the entity may have lost since.
func (l *look) valueWithout(e *inspect.Mirrored, original ecs.Entity, was *version, tick entangle.Tick, lost visible) error {
	t := translation{local: l.local, late: true}
	t.once = func(component int) []inspect.MirroredValue { return l.past.since(original, l.client, component, tick) }
	t.ended = func(local ecs.Entity) bool { return l.wasGone(local, tick) }
	return t.values(l.mirror.Components, lost.of(was.seen[l.client].of(was.state.Values)), lost.of(e.Values))
}

// wasGone reports whether the original of an entity was gone at a tick.
func (l *look) wasGone(local ecs.Entity, tick entangle.Tick) bool {
	for original, copied := range l.local {
		if copied == local {
			return l.past.at(original, tick) == nil
		}
	}
	return false
}
