package oracle

import (
	"fmt"
	"math"
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/entangle-ecs/entangle/internal/world/tick"
)

// checkComponent compares one component with the server's value as of the applied tick.
func (s *shownClient) checkComponent(c Client, e *shownEntity, info *registry.Component, should *inspect.MirroredValue) error {
	is := s.read(c.world(), e.entity, info)
	if !is.target.IsZero() && s.history.versionAt(is.target, e.applied) == nil && (&translation{}).decode(info, should, nil).target.IsZero() {
		// The server does not send that a target is gone: the relation loses it when the client does, which may be
		// later if the target is in another group (docs/STATES.md, "References and resources").
		s.count[shownFormerTarget]++
		is.target = ecs.Entity{}
	}
	switch {
	case info.Refreshed: // a function of the game has changed it
		return nil
	case info.Interpolate == registry.Full && info.Plan.Size() > 0:
		return s.checkBlended(c, e, info, &is)
	case info.Once || info.Interpolate == registry.Once:
		allowed := e.once[info.Number]
		if info.Once {
			allowed = s.history.onceValues(e.original, c.ID, info.Number, e.applied)
		}
		for i := range allowed {
			if s.isValue(info, &is, &allowed[i]) == nil {
				if s.isValue(info, &is, should) != nil {
					s.count[shownOld]++
				}
				return nil
			}
		}
		return fmt.Errorf("it is %v, which is not its first value", is.value)
	default:
		return s.isValue(info, &is, should)
	}
}

// checkBlended compares the value of a component with that of the motion.
func (s *shownClient) checkBlended(c Client, e *shownEntity, info *registry.Component, is *decoded) error {
	m := &e.motion
	if !m.shown || !s.history.followedSince(e.original, c.ID, e.applied, e.applied) { // otherwise its interpolation has ended for a moment
		return nil
	}
	want, how := m.value(info.Number, s.times[e.every])
	s.countWay(m, how)
	for i := range want.value.NumField() {
		a, b := is.value.Field(i), want.value.Field(i)
		if !a.CanFloat() {
			continue
		}
		off := a.Float() - b.Float()
		if isAngle(want.value.Type().Field(i)) {
			off = math.Remainder(off, 2*math.Pi)
		}
		if math.Abs(off) > blendError {
			if m.usePaused() {
				// An entity that was moved to another group or resumed just before it was paused is sent whole until that has
				// arrived (package sender, "paused"). Of others the client keeps what has arrived (docs/STATES.md).
				s.count[shownPaused]++
				return s.checkBlended(c, e, info, is)
			}
			return fmt.Errorf("it is %v, and should be %v: %s", is.value, want.value, m)
		}
	}
	return nil
}

// blendError is the tolerated difference of a field of a blended value: less than a step of the wire.
const blendError = 0.01

func (s *shownClient) countWay(m *motion, how way) {
	switch {
	case how == held:
		s.count[shownHeld]++
	case how == snapped:
		s.count[shownSnapped]++
	case how == teleported:
		s.count[shownTeleported]++
	case how == extrapolated:
		s.count[shownExtrapolated]++
	case how == returned:
		s.count[shownReturned]++
	case m.late:
		s.count[shownLate]++
	}
}

func (m *motion) String() string {
	text := fmt.Sprintf("from %.3f to %.3f", m.start, m.end)
	for _, s := range m.samples {
		text += fmt.Sprintf(", at %.3f", s.tick)
		for comp, v := range s.values {
			text += fmt.Sprintf(" %v%v", m.infos[comp].Type.Name(), v.value)
		}
	}
	return text
}

// read reads a component of an entity, with the server's entities in its references.
func (s *shownClient) read(w *ecs.World, e ecs.Entity, info *registry.Component) (d decoded) {
	id := ecs.TypeID(w, info.Type)
	value := reflect.New(info.Type).Elem()
	d = decoded{value: value, memory: memoryOf(value)}
	if at := w.Get(e, id); at != nil && len(d.memory) > 0 {
		value.Set(reflect.NewAt(info.Type, at).Elem())
	}
	if simulated, ok := tick.DisplayOf(w).Simulated(e, info); ok {
		copy(d.memory, simulated)
	}
	info.Plan.MapRefs(d.memory, func(_ int, e ecs.Entity) ecs.Entity { return s.toServer(w, e) })
	if info.Relation {
		d.target = s.toServer(w, w.Relations().Get(e, id))
	}
	return d
}

// toServer returns the server's entity of a client's.
func (s *shownClient) toServer(w *ecs.World, e ecs.Entity) ecs.Entity {
	if !w.Alive(e) {
		return ecs.Entity{}
	}
	if original, ok := s.originals[e]; ok {
		return original
	}
	original, _ := s.watch.Original(w, e)
	return original
}

// isValue returns nil if a value is the server's, except for references that are empty.
func (s *shownClient) isValue(info *registry.Component, is *decoded, server *inspect.MirroredValue) error {
	want := (&translation{}).decode(info, server, nil)
	var refs []ecs.Entity
	info.Plan.MapRefs(is.memory, func(_ int, e ecs.Entity) ecs.Entity { refs = append(refs, e); return e })
	info.Plan.MapRefs(want.memory, func(n int, e ecs.Entity) ecs.Entity {
		if n < len(refs) && refs[n].IsZero() {
			return ecs.Entity{}
		}
		return e
	})
	if is.target.IsZero() {
		want.target = ecs.Entity{}
	}
	if is.equal(info, &want) {
		return nil
	}
	return fmt.Errorf("it is %v of %v, the server's was %v of %v", is.value, is.target, want.value, want.target)
}
