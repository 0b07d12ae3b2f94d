package predict

import (
	"math/bits"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/world/message"
)

// resources holds the resources that roll back. They arrive in messages of their own, so the
// confirmed tick of the entities does not apply to them: each value is compared at its own tick. If
// no newer value has arrived for as long as ticks are kept, the last value still holds.
type resources struct {
	entities *entities
	progress *progress
	decision *decision
	why      *Why

	from      *message.ResourceCopy // nil: no resource is registered that rolls back
	list      []*resource
	differing []*resource // those that differ from the confirmed value at the present tick
}

// resource is a resource that rolls back.
type resource struct {
	number  int
	size    int
	history []byte          // a ring of as many ticks as are kept
	ticks   []entangle.Tick // by place in the ring
	there   []bool          // by place in the ring: the resource existed at that tick

	news    bool          // a confirmed value has arrived since the last comparison
	overdue bool          // the last confirmed value holds at the tick that is restored
	since   entangle.Tick // histories of earlier ticks are known to be wrong
}

func (s *resources) init(p *Prediction, from *message.ResourceCopy) {
	s.entities, s.progress, s.decision, s.why = &p.entities, &p.progress, &p.decision, p.cfg.Why
	if from == nil {
		return
	}
	rows := 1 << bits.Len(uint(p.cfg.MaxRollback+1)) // a power of two, because ticks wrap around
	for i := range from.List {
		if r := &from.List[i]; r.Confirmed != nil {
			size := len(columns.MemoryOf(r.Confirmed))
			s.list = append(s.list, &resource{
				number: i, size: size, history: make([]byte, rows*size),
				ticks: make([]entangle.Tick, rows), there: make([]bool, rows),
			})
		}
	}
	if len(s.list) > 0 {
		s.from = from
		from.PredictBy(p)
	}
}

// Resource notes that a confirmed value has arrived.
func (p *Prediction) Resource(number int) {
	for _, r := range p.resources.list {
		if r.number == number {
			r.news, p.progress.fresh = true, true
		}
	}
}

// held reports whether a confirmed value of any resource has arrived.
func (s *resources) held() bool {
	for _, r := range s.list {
		if _, _, ok := s.from.Confirmed(r.number); ok {
			return true
		}
	}
	return false
}

// memory returns the memory of a resource in the world, nil if the world does not have it.
func (s *resources) memory(r *resource) []byte {
	there := s.entities.world.Resources().Get(s.from.List[r.number].ID)
	if there == nil {
		return nil
	}
	return columns.MemoryOf(there)
}

// row returns the place of a tick in the ring, and whether it holds that tick's value.
func (r *resource) row(tick entangle.Tick) (value []byte, i int, ok bool) {
	i = int(tick % entangle.Tick(len(r.ticks)))
	return r.history[i*r.size : (i+1)*r.size], i, r.there[i] && r.ticks[i] == tick
}

// save saves the present as of the end of a tick.
func (s *resources) save(tick entangle.Tick) {
	for _, r := range s.list {
		value, at, _ := r.row(tick)
		memory := s.memory(r)
		r.ticks[at], r.there[at] = tick, memory != nil
		copy(value, memory)
	}
}

// insertAndSave inserts the confirmed values of a tick, and saves the tick.
func (s *resources) insertAndSave(tick entangle.Tick) {
	for _, r := range s.list {
		if latest, at, ok := s.from.Confirmed(r.number); ok && at == tick {
			copy(s.memory(r), latest)
		}
	}
	s.save(tick)
}

// restore restores the resources as of the end of a tick.
func (s *resources) restore(tick entangle.Tick) {
	for _, r := range s.list {
		memory := s.memory(r)
		value, _, held := r.row(tick)
		if held {
			copy(memory, value)
		}
		latest, at, ok := s.from.Confirmed(r.number)
		if ok && (at == tick || (r.overdue || !held) && at.Before(tick)) {
			copy(memory, latest)
		}
		if r.overdue {
			r.overdue, r.since = false, tick
		}
	}
	s.save(tick)
}

// expire makes the last confirmed values hold at a tick that is restored next, because no history is
// left. Resources without a confirmed value keep their present value.
func (s *resources) expire(tick entangle.Tick) {
	s.save(tick)
	for _, r := range s.list {
		r.overdue = true
	}
}

// resetConnection forgets the state of a connection.
func (s *resources) resetConnection() {
	for _, r := range s.list {
		r.news, r.overdue, r.since = false, false, s.progress.present()
	}
	s.differing = s.differing[:0]
}

// takeOver writes the last confirmed values over the present ones.
func (s *resources) takeOver() {
	for _, r := range s.list {
		if latest, _, ok := s.from.Confirmed(r.number); ok {
			copy(s.memory(r), latest)
		}
		r.news, r.overdue, r.since = false, false, s.progress.present()
	}
}

// amend writes the confirmed values of the present tick over the present ones.
func (s *resources) amend() {
	for _, r := range s.differing {
		latest, _, _ := s.from.Confirmed(r.number)
		copy(s.memory(r), latest)
		r.since = s.progress.worldTick
	}
	if len(s.differing) > 0 {
		s.save(s.progress.worldTick)
	}
}

// findMispredictions finds resources that differ from the confirmed values.
func (s *resources) findMispredictions(confirmed entangle.Tick) {
	s.differing = s.differing[:0]
	for _, r := range s.list {
		latest, at, ok := s.from.Confirmed(r.number)
		if !ok {
			r.news = false
			continue
		}
		if r.news {
			s.compareAt(r, latest, at)
		}
		s.compareOldest(r, latest, at, confirmed)
	}
}

// compareAt compares a resource at the tick of its confirmed value. A value of a future tick is not
// compared: it is inserted at the end of that tick.
func (s *resources) compareAt(r *resource, latest []byte, at entangle.Tick) {
	now := s.progress.present()
	r.news = false
	switch {
	case at == now:
		if memory := s.memory(r); memory != nil && s.differ(r, memory, latest) {
			s.differing = append(s.differing, r)
		}
	case at.Before(now) && s.entities.store.Holds(at):
		if value, _, ok := r.row(at); !ok || s.differ(r, value, latest) {
			s.ask(r, value, latest, at)
		}
	}
}

// compareOldest compares a resource at the oldest tick that can be restored. If the confirmed tick has
// reached that tick and no newer value has arrived, the last confirmed value still holds there.
func (s *resources) compareOldest(r *resource, latest []byte, at, confirmed entangle.Tick) {
	oldest := s.progress.oldest()
	value, _, ok := r.row(oldest)
	if !ok || confirmed.Before(oldest) || oldest.Before(at) || oldest.Before(r.since) ||
		!s.entities.store.Holds(oldest) || !s.differ(r, value, latest) {
		return
	}
	if confirmed == s.progress.present() {
		s.differing = append(s.differing, r)
		return
	}
	r.overdue = true
	s.ask(r, value, latest, confirmed)
}

func (s *resources) ask(r *resource, predicted, confirmed []byte, tick entangle.Tick) {
	s.why.Found(WhyFinding{Reason: ByResource, Tick: tick, Column: r.number, Predicted: predicted, Confirmed: confirmed})
	s.decision.ask(tick, ByResource)
}

// differ reports whether two values have different wire encodings.
func (s *resources) differ(r *resource, predicted, confirmed []byte) bool {
	return !s.from.List[r.number].Info.Plan.Equal(predicted, confirmed)
}
