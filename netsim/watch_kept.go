package netsim

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

var (
	errNeverSo  = errors.New("it is kept as the client can't have seen it last")
	errNotForIt = errors.New("it is kept with a component that is not for the client")
)

// kept checks that a retained replica has the state of its original at some tick at which the
// client saw it, and no earlier state than before; states of a paused original do not count. It
// must lack the components that the client may no longer see, and may lack those that were hidden
// for a while.
func (l *look) kept(e *inspect.Mirrored, original ecs.Entity) error {
	least, list := l.before.entities[e.Entity], l.past.versions[original]
	last := after(list, l.at[e.ID], since) - 1
	is := list[last].seen[l.client]
	if slices.ContainsFunc(e.Values, func(v inspect.MirroredValue) bool { return is.hides(v.Component) }) {
		return errNotForIt
	}
	var lost visible
	for i := last; i >= 0; i-- {
		v := &list[i]
		if next := i + 1; v.gone || next < len(list) && !least.Before(list[next].from) && !list[next].state.Paused {
			break
		}
		if !v.seen[l.client].sees {
			lost.without += v.seen[l.client].without
		}
		if tick := latest(v.from, least); v.seen[l.client].sees && !v.state.Paused && l.valueWithout(e, original, v, tick, lost) == nil {
			l.now.entities[e.Entity] = tick
			if saw := v.seen[l.client].of(v.state.Values); len(is.of(saw)) < len(saw) {
				l.past.narrowed++
			}
			return nil
		}
	}
	return errNeverSo
}

func since(v *version) entangle.Tick { return v.from }

func latest(a, b entangle.Tick) entangle.Tick {
	if a.Before(b) {
		return b
	}
	return a
}

// stayed checks that a replica still exists and is the same one, if the client could see or retain
// the entity all the time.
func (l *look) stayed() error {
	for e, original := range l.before.of {
		if l.local[original] != e && l.past.stays(original, l.client, l.before.entities[e], l.resynced) {
			return fmt.Errorf("its %v, a copy of the server's %v as of tick %d, is gone, which it might see all the while or keep",
				e, original, l.before.entities[e])
		}
	}
	return nil
}

// stays reports whether a client could see or retain an entity all the time since a tick. A client
// that has requested groups in full may lose retained ones: they are not sent again.
func (p *past) stays(e ecs.Entity, client entangle.ClientID, from entangle.Tick, resynced bool) bool {
	list := p.versions[e]
	first := max(0, after(list, from, since)-1)
	for i := range list[first:] {
		v := &list[first+i]
		is := v.seen[client]
		if v.gone || v.state.Paused || !is.sees && !is.kept || is.kept && (resynced || outgrown(list[first:first+i+1])) {
			return false
		}
	}
	return true
}

// outgrown reports whether an entity that was alone in its group in the first of the given versions
// has got a child since. A client that was not sent its new group does not retain it.
func outgrown(since []version) bool {
	return since[0].alone && slices.ContainsFunc(since, func(v version) bool { return !v.alone })
}
