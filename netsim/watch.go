package netsim

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/systems"
)

// Watch checks after every frame from now on what Entangle promises at any time,
// however bad the lines are, and fails the test when it does not hold:
//
//   - each entity that a client shows is the server's as it was at the tick that
//     the client holds of it, all components of it; but a reference may be empty;
//   - that tick never goes back, and is none that is yet to come;
//   - a client shows no entity twice.
//
// Call it before anything is replicated. It encodes both worlds at every frame and
// remembers every change, so it is for small worlds. A game that changes its
// copies, or its server's world in the set AfterSend, can't be watched.
func (s *Sim) Watch() {
	if s.watch == nil {
		s.watch = &watch{versions: map[uint64][]version{}, held: map[*host]map[ecs.Entity]entangle.Tick{}, heard: map[*host]uint64{}}
	}
}

// watch remembers what every entity of the server was like at any tick.
type watch struct {
	versions map[uint64][]version // by id, of rising ticks
	tick     entangle.Tick
	began    bool
	held     map[*host]map[ecs.Entity]entangle.Tick
	heard    map[*host]uint64 // bytes that had arrived at the last check
	groups   *groupWatch      // nil unless WatchGroups was called
}

// version is what an entity was like from a tick on. It has no entity while
// nothing had its id.
type version struct {
	from  entangle.Tick
	state systems.Mirrored
}

// watchFrame takes note of a frame that was run.
func (s *Sim) watchFrame(h *host) {
	s.t.Helper()
	if h == s.server {
		s.watch.record(s.mirror())
		return
	}
	for _, p := range s.peers {
		if p.host != h {
			continue
		}
		// A copy changes by what arrives, or goes altogether.
		heard := p.client.Stats().BytesIn
		if heard == s.watch.heard[h] && p.Connected() {
			continue
		}
		s.watch.heard[h] = heard
		if err := s.watch.check(p); err != nil {
			s.t.Fatalf("netsim: at %v, client %d: %v", s.clock.Since(), p.id, err)
		}
	}
}

// record takes in the server's world as it is at the end of a frame. One without a
// tick shows nothing that was looked at.
func (w *watch) record(m *systems.Mirror) {
	if w.began && m.Tick == w.tick {
		return
	}
	w.tick, w.began = m.Tick, true
	if w.groups != nil {
		w.groups.record(m)
	}
	there := map[uint64]bool{}
	for _, e := range m.Entities {
		there[e.ID] = true
		if e.ID != 0 && !e.Paused {
			w.add(e.ID, version{from: m.Tick, state: e})
		}
	}
	for id := range w.versions {
		if !there[id] {
			w.add(id, version{from: m.Tick})
		}
	}
}

func (w *watch) add(id uint64, v version) {
	list := w.versions[id]
	if n := len(list); n == 0 || !list[n-1].equal(&v) {
		w.versions[id] = append(list, v)
	}
}

func (v *version) equal(o *version) bool {
	return v.state.Entity == o.state.Entity && slices.EqualFunc(v.state.Values, o.state.Values, equalValue)
}

func equalValue(a, b systems.MirroredValue) bool {
	return a.Component == b.Component && bytes.Equal(a.Wire, b.Wire) && slices.Equal(a.Refs, b.Refs)
}

// at returns what had an id at a tick.
func (w *watch) at(id uint64, tick entangle.Tick) (*systems.Mirrored, bool) {
	list := w.versions[id]
	n := sort.Search(len(list), func(i int) bool { return tick.Before(list[i].from) })
	if n == 0 || list[n-1].state.Entity.IsZero() {
		return nil, false
	}
	return &list[n-1].state, true
}

var errTwice = errors.New("two of its entities have one id")

// check compares what a client shows with what the server was like.
func (w *watch) check(p *Peer) error {
	m := p.client.Mirror()
	t := translation{local: map[ecs.Entity]ecs.Entity{}, late: true}
	for i := range m.Entities {
		e := &m.Entities[i]
		was, ok := w.at(e.ID, e.Tick)
		switch {
		case i > 0 && m.Entities[i-1].ID == e.ID:
			return errTwice
		case w.tick.Before(e.Tick):
			return fmt.Errorf("its %v is at tick %d, the server at %d", e.Entity, e.Tick, w.tick)
		case !ok:
			return fmt.Errorf("its %v is at tick %d, where the server had no such entity", e.Entity, e.Tick)
		case !t.local[was.Entity].IsZero():
			return fmt.Errorf("its %v and %v are both copies of the server's %v", t.local[was.Entity], e.Entity, was.Entity)
		}
		t.local[was.Entity] = e.Entity
	}
	return errors.Join(w.checkTicks(p.host, m), w.checkValues(&t, m), w.checkGroups(m))
}

// checkTicks holds that no entity goes back in time.
func (w *watch) checkTicks(h *host, m *systems.Mirror) error {
	now := make(map[ecs.Entity]entangle.Tick, len(m.Entities))
	for _, e := range m.Entities {
		if before, ok := w.held[h][e.Entity]; ok && e.Tick.Before(before) {
			return fmt.Errorf("its %v went back from tick %d to %d", e.Entity, before, e.Tick)
		}
		now[e.Entity] = e.Tick
	}
	w.held[h] = now
	return nil
}

// checkGroups holds that groups are whole.
func (w *watch) checkGroups(m *systems.Mirror) error {
	if w.groups == nil {
		return nil
	}
	shown := make(map[ecs.Entity]entangle.Tick, len(m.Entities))
	for _, e := range m.Entities {
		was, _ := w.at(e.ID, e.Tick)
		shown[was.Entity] = e.Tick
	}
	return w.groups.check(shown, w.tick)
}

func (w *watch) checkValues(t *translation, m *systems.Mirror) error {
	for i := range m.Entities {
		e := &m.Entities[i]
		was, _ := w.at(e.ID, e.Tick)
		if err := t.values(m.Components, was.Values, e.Values); err != nil {
			return fmt.Errorf("its %v at tick %d, a copy of the server's %v: %w", e.Entity, e.Tick, was.Entity, err)
		}
	}
	return nil
}
