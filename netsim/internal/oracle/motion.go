package oracle

import (
	"bytes"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/entangle-ecs/entangle/internal/registry"
)

// motion computes what is shown of the blended components of one interpolated entity, in the plain words of
// docs/decisions/0034-interpolation.md: it moves in a line from one sample to the next, rests on the last one, and
// sets off from where it is when another one arrives.
type motion struct {
	infos   []*registry.Component
	second  float64 // in ticks
	former  *sample // the sample before the first one of samples, if it came from there
	samples []sample
	newest  float64 // the tick of the newest sample that has arrived
	// The entity moves from samples[0], where it was at start, to samples[1], where it is at end. It came to
	// samples[0] from where it was at before. end is the tick of samples[0] as long as that is not reached.
	before, start, end float64
	shown              bool // its first sample has been reached
	late               bool // end is later than the tick of samples[1]
	restarted          bool // samples[0] is none of the server's
}

// sample holds the values of an entity as of a tick, by component.
type sample struct {
	tick   float64
	jumps  uint8 // number of teleports up to it
	values map[int]decoded
	paused map[int]decoded // of a paused entity: those of before the pause, which may have been sent; else nil
}

// never is later than all ticks.
var never = math.Inf(1)

func (m *motion) resting() bool { return m.shown && len(m.samples) == 1 }

// add adds a sample that has arrived while the entity is shown at a time.
func (m *motion) add(s sample, now, every float64) {
	waited, base := m.late || m.resting(), m.present(now)
	m.carry(&s)
	if n := len(m.samples); n > 0 {
		for comp, v := range s.values {
			if _, had := m.samples[n-1].values[comp]; !had {
				m.insert(comp, v)
				base.values[comp] = v
			}
		}
	}
	m.samples, m.newest = append(m.samples, s), s.tick
	switch {
	case waited:
		m.restart(base, every)
	case len(m.samples) == 1:
		m.end = s.tick
	}
}

// hold adds a sample at which the entity had not changed, while it is shown at a time. If it rests before that, it sets off
// then. Where values may be extrapolated, it moves from where it is, as to any other sample.
func (m *motion) hold(s sample, now, every float64) {
	rests, base := m.resting(), m.present(now)
	if s.tick <= m.newest || rests && s.tick <= now {
		return
	}
	m.carry(&s)
	m.samples, m.newest = append(m.samples, s), s.tick
	switch {
	case m.late && !rests, rests && m.extrapolates():
		m.restart(base, every)
	case rests:
		m.start, m.end, m.late = now, s.tick, false
	}
}

// carry gives a sample what the one before has and it lacks: a component that has been removed keeps its values until that
// is shown, also if it has been inserted again meanwhile.
func (m *motion) carry(s *sample) {
	if n := len(m.samples); n > 0 {
		for comp, v := range m.samples[n-1].values {
			if _, given := s.values[comp]; !given {
				s.values[comp] = v
			}
		}
	}
}

// extrapolates reports whether any value continues beyond its newest sample.
func (m *motion) extrapolates() bool {
	return slices.ContainsFunc(m.infos, func(info *registry.Component) bool { return info.Extrapolate > 0 })
}

// insert gives all samples the first value of a component.
func (m *motion) insert(comp int, v decoded) {
	for i := range m.samples {
		m.samples[i].values[comp] = v
	}
	if m.former != nil {
		m.former.values[comp] = v
	}
}

// reinsert sets a component that is inserted at a tick to its first value in all samples of earlier ticks.
func (m *motion) reinsert(comp int, v decoded, tick float64) {
	held := m.samples
	if m.former != nil {
		held = append([]sample{*m.former}, held...)
	}
	for _, s := range held {
		if s.tick >= tick {
			return
		}
		s.values[comp] = v
	}
}

// remove removes a component from all samples.
func (m *motion) remove(comp int) {
	for i := range m.samples {
		delete(m.samples[i].values, comp)
	}
	if m.former != nil {
		delete(m.former.values, comp)
	}
}

// present returns the shown values.
func (m *motion) present(now float64) sample {
	base := sample{tick: now, values: map[int]decoded{}}
	if len(m.samples) > 0 {
		base.jumps = m.samples[0].jumps
		for comp := range m.samples[0].values {
			v, _ := m.value(comp, now)
			v.memory = memoryOf(v.value)
			base.values[comp] = v
		}
	}
	return base
}

// usePaused makes the entity move to its values of before the pause. It returns false if it does already, or is not paused.
func (m *motion) usePaused() bool {
	if len(m.samples) < 2 || m.samples[1].paused == nil {
		return false
	}
	maps.Copy(m.samples[1].values, m.samples[1].paused)
	m.samples[1].paused = nil
	return true
}

// restart makes the entity move from the shown values to the next sample that is far enough ahead, or to the
// newest.
func (m *motion) restart(base sample, every float64) {
	soonest := base.tick + min(every, m.second)
	next := m.samples
	if m.shown && len(m.samples) > 1 {
		next = m.samples[1:]
	}
	for len(next) > 1 && next[0].jumps == base.jumps && next[0].tick < soonest {
		next = next[1:]
	}
	m.start, m.end, m.late = base.tick, next[0].tick, false
	if m.end < soonest && next[0].jumps == base.jumps {
		m.end, m.late = soonest, true
	}
	m.samples, m.former, m.shown, m.restarted = append([]sample{base}, next...), nil, true, true
}

// advance shows the entity at a time.
func (m *motion) advance(now float64) {
	for len(m.samples) > 0 && !m.resting() && m.end <= now {
		if !m.shown {
			m.shown = true
		} else {
			if m.former = nil; !m.restarted {
				m.former = &sample{tick: m.samples[0].tick, jumps: m.samples[0].jumps, values: maps.Clone(m.samples[0].values)}
			}
			m.samples = m.samples[1:]
		}
		m.restarted = false
		if m.before, m.start, m.end = m.start, m.end, never; len(m.samples) > 1 {
			m.end = m.samples[1].tick
		}
	}
}

// way is how a value came about.
type way uint8

const (
	moving way = iota
	held
	snapped
	teleported
	extrapolated
	returned // from an extrapolation
)

// value returns the value of a component at a time.
func (m *motion) value(comp int, now float64) (decoded, way) {
	from, info := m.samples[0].values[comp], m.infos[comp]
	if len(m.samples) == 1 || !m.shown {
		return m.beyond(comp, now)
	}
	to := m.samples[1].values[comp]
	switch share := (now - m.start) / (m.end - m.start); {
	case m.samples[0].jumps != m.samples[1].jumps:
		return from, teleported
	case info.TooFar != nil && info.TooFar(from.memory, to.memory):
		return from, snapped
	case share <= 0:
		return from, moving
	default:
		return between(from, to, share), moving
	}
}

// beyond returns the value of a component of an entity that has reached its newest sample.
func (m *motion) beyond(comp int, now float64) (decoded, way) {
	last, info := m.samples[0].values[comp], m.infos[comp]
	most := math.Ceil(info.Extrapolate.Seconds() * m.second)
	if !m.shown || most == 0 || m.former == nil || m.former.jumps != m.samples[0].jumps {
		return last, held
	}
	former := m.former.values[comp]
	if bytes.Equal(former.memory, last.memory) || info.TooFar != nil && info.TooFar(former.memory, last.memory) {
		return last, held
	}
	over, how := now-m.start, extrapolated
	if over > most {
		over, how = 2*most-min(over, 2*most), returned
	}
	if over <= 0 {
		return last, how
	}
	return between(former, last, 1+over/(m.start-m.before)), how
}

// between returns the value at a share of the way from one value to another: of each field with a fraction.
func between(from, to decoded, share float64) decoded {
	value := reflect.New(from.value.Type()).Elem()
	value.Set(from.value)
	for i := range value.NumField() {
		if f := value.Field(i); f.CanFloat() {
			a, way := f.Float(), to.value.Field(i).Float()-f.Float()
			if isAngle(value.Type().Field(i)) {
				way = math.Remainder(way, 2*math.Pi)
			}
			f.SetFloat(a + way*share)
		}
	}
	return decoded{value: value}
}

func isAngle(f reflect.StructField) bool { return strings.Contains(f.Tag.Get("net"), "angle") }

// memoryOf returns the memory of an addressable value.
func memoryOf(v reflect.Value) []byte {
	bytes := reflect.ArrayOf(int(v.Type().Size()), reflect.TypeFor[byte]())
	return reflect.NewAt(bytes, v.Addr().UnsafePointer()).Elem().Bytes()
}
