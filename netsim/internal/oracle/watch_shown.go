package oracle

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/entangle-ecs/entangle/plugin"
)

// CheckShown checks after a frame, which ran at the given time of the client's clock, what a client shows of
// interpolated entities: for each of them what its motion and the server's history give at the time of its timeline,
// with the ticks that the client has received.
func (w *Watch) CheckShown(c Client, ran time.Duration) error {
	world := c.world()
	s := w.shown[world]
	if s == nil {
		s = w.newShownClient(c)
	}
	if s == none {
		return nil
	}
	if c.App.State() != plugin.Connected {
		clear(s.entities)
		clear(s.times)
		clear(s.had)
		clear(s.timelines)
		s.packets = 0
		s.changes = s.changes[:0]
		return nil
	}
	return s.checkFrame(c, ran)
}

// none is of a client that interpolates nothing.
var none = &shownClient{}

// newShownClient begins to follow a client, before anything has arrived.
func (w *Watch) newShownClient(c Client) *shownClient {
	s, infos := none, registry.Of(apps.Of(c.world()).Protocol).Components
	if interpolates(infos) {
		s = &shownClient{
			history: &w.history, client: c.ID, infos: infos, entities: map[ecs.Entity]*shownEntity{}, originals: map[ecs.Entity]ecs.Entity{}, watch: w,
			times: map[int]float64{}, had: map[int]bool{}, timelines: map[int]shownTimeline{}, count: w.shownCount,
		}
		apps.Of(c.world()).Applier.WatchInterpolation(func(change inspect.Interpolation) { s.changes = append(s.changes, change) })
	}
	w.shown[c.world()] = s
	return s
}

// checkFrame checks a frame.
func (s *shownClient) checkFrame(c Client, ran time.Duration) error {
	for i := range s.changes {
		if err := s.checkEnd(c, &s.changes[i]); err != nil {
			return err
		}
		s.take(c.ID, &s.changes[i])
	}
	s.changes = s.changes[:0]
	if err := s.advance(c, ran); err != nil {
		return err
	}
	if err := s.checkIntervals(); err != nil {
		return err
	}
	changed := map[group]int{}
	for _, e := range s.entities {
		if s.reachTimeline(c, e) {
			if v := s.history.versionAt(e.original, e.applied); v != nil {
				if changed[v.group]++; changed[v.group] == 2 {
					s.count[shownTogether]++
				}
			}
		}
		if err := s.checkEntity(c, e); err != nil {
			tick, share := c.App.InterpolationTime(e.every)
			return fmt.Errorf("at %d + %.3f it shows its %v, a copy of the server's %v, as of tick %d: %w", tick, share, e.entity, e.original, e.applied, err)
		}
	}
	return nil
}

// groupTick is a part of a group as of a tick.
type groupTick struct {
	groupPart
	tick entangle.Tick
}

// checkIntervals checks that the members of a group are on one timeline, so that the group is whole there.
func (s *shownClient) checkIntervals() error {
	of := map[groupTick]*shownEntity{}
	for _, e := range s.entities {
		v := s.history.versionAt(e.original, e.newest)
		if v == nil || e.predicted || v.state.Paused || !s.history.followedSince(e.original, s.client, e.newest, e.newest) {
			continue
		}
		at := groupTick{groupPart{v.group, v.private}, e.newest}
		if other := of[at]; other != nil && other.every != e.every {
			return fmt.Errorf("its %v and %v are of one group at tick %d, and have the intervals %d and %d", other.entity, e.entity, e.newest, other.every, e.every)
		}
		of[at] = e
	}
	return nil
}

// reachTimeline shows the received ticks up to the timeline, and reports whether there are any.
func (s *shownClient) reachTimeline(c Client, e *shownEntity) (any bool) {
	e.motion.advance(s.times[e.every])
	now, _ := c.App.InterpolationTime(e.every)
	for len(e.waiting) > 0 && !now.Before(e.waiting[0]) {
		s.reach(c.ID, e, e.waiting[0])
		e.waiting, any = e.waiting[1:], true
	}
	return any
}

// checkEnd checks that an entity ends at its tick.
func (s *shownClient) checkEnd(c Client, change *inspect.Interpolation) error {
	e := s.entities[change.Entity]
	if change.Change != inspect.InterpolationEnded || e == nil || e.predicted {
		return nil
	}
	now, _ := c.App.InterpolationTime(e.every)
	followed := s.history.followedSince(e.original, c.ID, e.applied, now) // otherwise it has the present state
	if _, there := s.watch.Original(c.world(), e.entity); !e.leaving && e.any && followed && there {
		if w := c.world(); w.Has(e.entity, ecs.ComponentID[components.Predicted](w)) {
			// It ended in the record that began its prediction, which shows the present at once (GUARANTEES.md, N9).
			s.count[shownPredicted]++
			return nil
		}
		return fmt.Errorf("its %v, a copy of the server's %v, is not interpolated any more at tick %d", e.entity, e.original, now)
	}
	if !e.leaving {
		return nil
	}
	if now.Before(e.end) && followed && !s.returns(c.world(), e) {
		return fmt.Errorf("its %v, a copy of the server's %v, is gone at tick %d, and ends at %d", e.entity, e.original, now, e.end)
	}
	s.count[shownDespawned]++
	there := c.world().Alive(e.entity) && len(c.world().Ids(e.entity)) > 0
	if is, ended := s.history.fateSince(e.original, c.ID, e.newest); ended && there != (is == orphaned) {
		return fmt.Errorf("that its %v, a copy of the server's %v, is there after its end is %v", e.entity, e.original, there)
	}
	return nil
}

// returns reports whether the client has another replica of the server's entity.
func (s *shownClient) returns(w *ecs.World, e *shownEntity) bool {
	for other, original := range s.watch.clients[w].originals {
		if other != e.entity && original == e.original {
			return true
		}
	}
	return false
}

// checkEntity checks what is shown of one entity.
func (s *shownClient) checkEntity(c Client, e *shownEntity) error {
	w := c.world()
	if !w.Alive(e.entity) {
		return nil
	}
	marked := w.Has(e.entity, ecs.ComponentID[components.Interpolated](w))
	if e.predicted {
		if marked && w.Has(e.entity, ecs.ComponentID[components.Predicted](w)) {
			return errBothMarks
		}
		return nil
	}
	now, _ := c.App.InterpolationTime(e.every)
	if e.leaving && !now.Before(e.end) {
		return fmt.Errorf("it is there, and ended at tick %d", e.end)
	}
	if !e.any {
		return s.checkHidden(c, e)
	}
	if !marked && s.history.followedSince(e.original, c.ID, e.applied, e.applied) {
		return errNotMarked
	}
	v := s.history.versionAt(e.original, e.applied)
	if v == nil {
		return fmt.Errorf("the server did not have it")
	}
	if v.state.Paused || v.views[c.ID].retained {
		return nil
	}
	return s.checkComponents(c, e, v.views[c.ID].visibleValues(v.state.Values))
}

var (
	errNotMarked = errors.New("it is not interpolated")
	errBothMarks = errors.New("it is predicted, and interpolated as well")
)

// checkHidden checks that an entity that begins later has no components of the server.
func (s *shownClient) checkHidden(c Client, e *shownEntity) error {
	for _, info := range s.infos {
		if w := c.world(); e.fresh && w.Has(e.entity, ecs.TypeID(w, info.Type)) {
			return fmt.Errorf("it has %v, and begins later", info.Type)
		}
	}
	return nil
}

// checkComponents compares the components of an entity with the server's values as of the applied tick.
func (s *shownClient) checkComponents(c Client, e *shownEntity, should []inspect.MirroredValue) error {
	w := c.world()
	for _, info := range s.infos {
		id := ecs.TypeID(w, info.Type)
		is := w.Has(e.entity, id)
		if info.Type == interpolatedType || info.Type == reflect.TypeFor[components.Prespawned]() {
			continue
		}
		value := valueOf(should, info.Number)
		wanted := value != nil && info.Interpolate != registry.None
		switch {
		case is && !wanted:
			return fmt.Errorf("it has %v", info.Type)
		case !is && wanted:
			return fmt.Errorf("it lacks %v", info.Type)
		case !is || info.Input:
		default:
			if err := s.checkComponent(c, e, info, value); err != nil {
				return fmt.Errorf("%v: %w", info.Type, err)
			}
		}
	}
	return nil
}

func valueOf(all []inspect.MirroredValue, component int) *inspect.MirroredValue {
	for i := range all {
		if all[i].Component == component {
			return &all[i]
		}
	}
	return nil
}
