package oracle

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

var (
	errNeverSeen = errors.New("it is retained in a state in which the client cannot have seen it last")
	errHidden    = errors.New("it is retained with a component that is hidden from the client")
)

// checkRetained checks that a retained replica has the state of its original at some tick at which
// the client saw it, and no earlier state than before; states of a paused original do not count. It
// must lack the components that the client may no longer see, and may lack those that were hidden
// for a while.
func (c *clientCheck) checkRetained(e *inspect.Mirrored, original ecs.Entity) error {
	earliest, list := c.last.ticks[e.Entity], c.history.versions[original]
	last := firstAfter(list, c.ticks[e.ID], versionTick) - 1
	now := list[last].views[c.client]
	if slices.ContainsFunc(e.Values, func(v inspect.MirroredValue) bool { return now.hides(v.Component) }) {
		return errHidden
	}
	var hidden view
	for i := last; i >= 0; i-- {
		v := &list[i]
		if next := i + 1; v.removed || next < len(list) && !earliest.Before(list[next].from) && !list[next].state.Paused {
			break
		}
		if tick := later(v.from, earliest); v.views[c.client].sees && !v.state.Paused && c.compareValues(e, original, v, tick, hidden) == nil {
			c.now.ticks[e.Entity] = tick
			if saw := v.views[c.client].visibleValues(v.state.Values); len(now.visibleValues(saw)) < len(saw) {
				c.history.narrowed++
			}
			return nil
		}
		hidden.hidden += v.views[c.client].hidden // it may be removed although the rest of v was not sent
	}
	return errNeverSeen
}

func versionTick(v *version) entangle.Tick { return v.from }

func later(a, b entangle.Tick) entangle.Tick {
	if a.Before(b) {
		return b
	}
	return a
}

// checkPresent checks that a replica still exists and is the same one, if the client could see or
// retain the entity all the time.
func (c *clientCheck) checkPresent() error {
	for e, original := range c.last.originals {
		if c.replicas[original] != e && c.history.visibleSince(original, c.client, c.last.ticks[e]) {
			return fmt.Errorf("its %v, a copy of the server's %v as of tick %d, is gone, although the client could see or retain it all the time",
				e, original, c.last.ticks[e])
		}
	}
	return nil
}

// visibleSince reports whether a client could see or retain an entity all the time since a tick.
func (h *history) visibleSince(e ecs.Entity, client entangle.ClientID, from entangle.Tick) bool {
	list := h.versions[e]
	first := max(0, firstAfter(list, from, versionTick)-1)
	for i := range list[first:] {
		v := &list[first+i]
		is := v.views[client]
		if v.removed || v.state.Paused || !is.sees && !is.retained || is.retained && mayBeLost(list[first:first+i+1]) {
			return false
		}
	}
	return true
}

// mayBeLost reports whether an entity changed its group in the given versions. A client that was not
// sent its new group then loses it.
func mayBeLost(since []version) bool {
	return slices.ContainsFunc(since, func(v version) bool {
		was := &since[0]
		return was.group != v.group || was.private != v.private || was.alone != v.alone
	})
}
