package oracle

import (
	"errors"
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/entangle-ecs/entangle/plugin"
)

// Watch compares clients with the history of their server.
type Watch struct {
	history
	clients    map[*ecs.World]*clientState
	received   map[*ecs.World]uint64 // bytes received up to the last check
	clocks     map[*ecs.World]*clockState
	sent       []endpoint.SentEntity // data written to clients in a frame
	shown      map[*ecs.World]*shownClient
	shownCount map[string]int
}

// clientState is a client's replicated state at the last check.
type clientState struct {
	ticks     map[ecs.Entity]entangle.Tick
	originals map[ecs.Entity]ecs.Entity        // the server's entities by the client's
	groups    map[uint32]inspect.MirroredGroup // by handle
	joined    bool
}

// NewWatch returns a Watch that has recorded nothing.
func NewWatch() *Watch {
	return &Watch{
		history: newHistory(), clients: map[*ecs.World]*clientState{}, received: map[*ecs.World]uint64{}, clocks: map[*ecs.World]*clockState{},
		shown: map[*ecs.World]*shownClient{}, shownCount: map[string]int{},
	}
}

// CheckServer records and checks the state of the server after one of its frames.
func (w *Watch) CheckServer(s *Snapshot) error {
	if clients := s.clients(); w.recordServer(s.mirror, s.visibility(), clients) {
		w.recordConnected(clients)
		w.recordShown(s.server.World(), s.mirror, clients)
		for _, id := range clients {
			w.recordIDs(id, apps.Of(s.server.World()).Server.Names(id))
		}
		if err := w.checkSees(s.server.World(), clients); err != nil {
			return err
		}
	}
	return w.checkSent()
}

// CheckClient checks a client after one of its frames.
func (w *Watch) CheckClient(c Client) error {
	world, stats, connected := c.world(), c.App.Stats(), c.App.State() == plugin.Connected
	// Replicas change only by received data, or when the connection ends.
	if stats.BytesIn == w.received[world] && connected {
		return nil
	}
	w.received[world] = stats.BytesIn
	if !connected {
		delete(w.clients, world)
	}
	return w.checkState(c.ID, world, apps.Of(world).ClientMirror(), c.App.Joined())
}

// ForgetClient is called when a client has disconnected.
func (w *Watch) ForgetClient(id entangle.ClientID) { w.history.disconnected[id] = true }

// Original returns the server's entity of a replica in a client's world, as of the last
// CheckClient. ok is false if there is none.
func (w *Watch) Original(client *ecs.World, replica ecs.Entity) (e ecs.Entity, ok bool) {
	if w.clients[client] == nil {
		return ecs.Entity{}, false
	}
	e, ok = w.clients[client].originals[replica]
	return e, ok
}

// Narrowed returns how often a client was found to retain an entity without a component that the
// entity had when the client saw it.
func (w *Watch) Narrowed() int { return w.narrowed }

// LeftPaused returns how often a client lost a group that it saw, except for a paused member.
func (w *Watch) LeftPaused() int { return w.leftPaused }

// Shown returns how often interpolated entities did rare things, by a description: see ShownBranches.
func (w *Watch) Shown() map[string]int { return w.shownCount }

// Detached returns how often things happened to children that lost their parent, by a description.
func (w *Watch) Detached() map[string]int { return w.detached }

var errSameID = errors.New("two of its entities have one id")

// checkState compares a client with the server's history.
func (w *Watch) checkState(id entangle.ClientID, world *ecs.World, m *inspect.Mirror, joined bool) error {
	l := clientCheck{
		history: &w.history, shown: w.shown[world], client: id, mirror: m, world: world, last: w.clients[world],
		ticks: map[uint64]entangle.Tick{}, inGroup: map[uint64]bool{}, joined: joined,
	}
	if l.last == nil {
		l.last = &clientState{}
	}
	for _, check := range []func() error{l.collectTicks, l.setGroupTicks, l.findOriginals, l.checkGroups, l.checkTicks, l.checkValues, l.checkPresent, l.checkRemoved, l.checkResources, l.checkJoined} {
		if err := check(); err != nil {
			return err
		}
	}
	w.clients[world] = l.now
	return nil
}

// clientCheck checks one client at one moment.
type clientCheck struct {
	history  *history
	shown    *shownClient
	client   entangle.ClientID
	mirror   *inspect.Mirror
	world    *ecs.World // nil if the client's other entities are unknown
	last     *clientState
	now      *clientState
	ticks    map[uint64]entangle.Tick // by id: the tick of its state
	inGroup  map[uint64]bool          // ids of group members
	joined   bool                     // the client reports that it has joined
	replicas map[ecs.Entity]ecs.Entity
}

// collectTicks collects the ticks of all entities.
func (c *clientCheck) collectTicks() error {
	for i := range c.mirror.Entities {
		e := &c.mirror.Entities[i]
		if _, twice := c.ticks[e.ID]; twice {
			return errSameID
		}
		c.ticks[e.ID] = e.Tick
	}
	return nil
}

// setGroupTicks sets the ticks of members to those of their groups: an unchanged member has the
// group's tick, too.
func (c *clientCheck) setGroupTicks() error {
	for _, g := range c.mirror.Groups {
		for _, id := range g.Members {
			if last, there := c.ticks[id]; !there || c.inGroup[id] || g.Tick.Before(last) {
				return fmt.Errorf("its group %d at tick %d has the id %d, which is no entity of it, is in two groups, or has state of a later tick %d",
					g.Handle, g.Tick, id, last)
			}
			c.ticks[id], c.inGroup[id] = g.Tick, true
		}
	}
	for _, e := range c.mirror.Entities {
		if !c.inGroup[e.ID] {
			return fmt.Errorf("its %v with the id %d is in no group", e.Entity, e.ID)
		}
	}
	return nil
}

// findOriginals finds the server's entity of each replica.
func (c *clientCheck) findOriginals() error {
	c.replicas = map[ecs.Entity]ecs.Entity{}
	for _, e := range c.mirror.Entities {
		tick := c.ticks[e.ID]
		original, was := c.original(e.ID, tick)
		switch {
		case c.history.tick.Before(tick):
			return fmt.Errorf("its %v is at tick %d, the server at %d", e.Entity, tick, c.history.tick)
		case was == nil:
			return fmt.Errorf("its %v is at tick %d, where the server had no such entity", e.Entity, tick)
		case !was.views[c.client].sees && !was.views[c.client].retained:
			return fmt.Errorf("its %v at tick %d is a copy of the server's %v, which it may not see", e.Entity, tick, original)
		case !c.replicas[original].IsZero():
			return fmt.Errorf("its %v and %v are both copies of the server's %v", c.replicas[original], e.Entity, original)
		}
		c.replicas[original] = e.Entity
	}
	return nil
}

// original returns the server's entity that a network id names on this client, and its version at a
// tick.
func (c *clientCheck) original(id uint64, tick entangle.Tick) (ecs.Entity, *version) {
	return c.history.original(c.client, id, tick)
}

// checkTicks checks that no group or entity goes back in time.
func (c *clientCheck) checkTicks() error {
	c.now = &clientState{
		ticks: make(map[ecs.Entity]entangle.Tick, len(c.ticks)), originals: map[ecs.Entity]ecs.Entity{}, groups: map[uint32]inspect.MirroredGroup{},
	}
	for _, e := range c.mirror.Entities {
		tick := c.ticks[e.ID]
		if before, ok := c.last.ticks[e.Entity]; ok && tick.Before(before) {
			return fmt.Errorf("its %v went back from tick %d to %d", e.Entity, before, tick)
		}
		c.now.ticks[e.Entity] = tick
	}
	for _, g := range c.mirror.Groups {
		if before, ok := c.last.groups[g.Handle]; ok && g.Tick.Before(before.Tick) {
			return fmt.Errorf("its group %d went back from tick %d to %d", g.Handle, before.Tick, g.Tick)
		}
		c.now.groups[g.Handle] = g
	}
	return nil
}

// checkValues compares the components of all entities except paused ones.
func (c *clientCheck) checkValues() error {
	for i := range c.mirror.Entities {
		e := &c.mirror.Entities[i]
		original, was := c.original(e.ID, c.ticks[e.ID])
		c.now.originals[e.Entity] = original
		var err error
		switch {
		case was.state.Paused && was.views[c.client].retained:
			if tick, had := c.last.ticks[e.Entity]; had {
				c.now.ticks[e.Entity] = tick // its group may have lost other members since
			}
		case was.state.Paused:
		case was.views[c.client].retained:
			err = c.checkRetained(e, original)
		default:
			err = c.checkValue(e, original, was, c.ticks[e.ID])
		}
		if err != nil {
			return fmt.Errorf("its %v at tick %d, a copy of the server's %v: %w", e.Entity, c.ticks[e.ID], original, err)
		}
	}
	return nil
}

// checkValue compares the components of one entity with the version of its original at a tick.
func (c *clientCheck) checkValue(e *inspect.Mirrored, original ecs.Entity, was *version, tick entangle.Tick) error {
	return c.compareValues(e, original, was, tick, view{})
}

// compareValues is checkValue without the components that are hidden in ignored, which the replica
// may have lost since.
func (c *clientCheck) compareValues(e *inspect.Mirrored, original ecs.Entity, was *version, tick entangle.Tick, ignored view) error {
	t := translation{replicas: c.replicas, allowsEmptyRefs: true}
	t.once = func(component int) []inspect.MirroredValue {
		return c.history.onceValues(original, c.client, component, tick)
	}
	t.despawned = func(replica ecs.Entity) bool { return c.wasDespawned(replica, tick) }
	return t.compareValues(c.mirror.Components, ignored.visibleValues(was.views[c.client].visibleValues(was.state.Values)), ignored.visibleValues(e.Values))
}

// wasDespawned reports whether the original of a replica did not exist at a tick.
func (c *clientCheck) wasDespawned(replica ecs.Entity, tick entangle.Tick) bool {
	for original, other := range c.replicas {
		if other == replica {
			return c.history.versionAt(original, tick) == nil
		}
	}
	return false
}
