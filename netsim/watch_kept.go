package netsim

import (
	"errors"
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

var errNeverSo = errors.New("it is kept as the client can't have seen it last")

// kept holds that an entity that a client keeps is as its original was at some tick at which
// the client saw it, and no earlier than it was before; while it was paused it was as before that.
func (l *look) kept(e *inspect.Mirrored, original ecs.Entity) error {
	least, list := l.before.entities[e.Entity], l.past.versions[original]
	for i := after(list, l.at[e.ID], since) - 1; i >= 0; i-- {
		v := &list[i]
		if next := i + 1; v.gone || next < len(list) && !least.Before(list[next].from) && !list[next].state.Paused {
			break
		}
		if tick := latest(v.from, least); v.seen[l.client].sees && !v.state.Paused && l.value(e, original, v, tick) == nil {
			l.now.entities[e.Entity] = tick
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

// stayed holds that what a client had of an entity is there yet, the same, if it might see
// it all the while or was to keep it.
func (l *look) stayed() error {
	for e, original := range l.before.of {
		if l.local[original] != e && l.past.stays(original, l.client, l.before.entities[e]) {
			return fmt.Errorf("its %v, a copy of the server's %v as of tick %d, is gone, which it might see all the while or keep",
				e, original, l.before.entities[e])
		}
	}
	return nil
}

// stays reports whether a client might see an entity all the while since a tick, or keep it.
func (p *past) stays(e ecs.Entity, client entangle.ClientID, from entangle.Tick) bool {
	list := p.versions[e]
	first := max(0, after(list, from, since)-1)
	for i := range list[first:] {
		v := &list[first+i]
		is := v.seen[client]
		switch {
		case v.gone, v.state.Paused, !is.sees && !is.kept:
			return false
		case is.kept && !keepsAlone(list[first:first+i+1], client):
			return false
		}
	}
	return true
}

// keepsAlone reports whether a client keeps all that it saw of an entity that is a group of
// its own: of others, what becomes of their fellows counts too. The versions are those since
// the first that the client may have. It keeps nothing if it may not see a component that the
// entity had in any of them, and saw in the first: it may not have heard of that before.
func keepsAlone(since []version, client entangle.ClientID) bool {
	first, v := &since[0], &since[len(since)-1]
	before := &since[max(len(since)-2, 0)]
	if !v.alone || before.terms != v.terms {
		return false
	}
	saw, is := first.seen[client], v.seen[client]
	for i := range since {
		for _, value := range since[i].state.Values {
			if is.hides(value.Component) && !saw.hides(value.Component) {
				return false
			}
		}
	}
	return true
}
