package predict

import (
	"math/bits"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/world/message"
)

// stock is the resources that go back in a rollback. What the server says of one comes in
// messages of its own, apart from the entities: a tick of which all entities are known says
// nothing of resources. So a value is compared at its own tick; and where the server says
// nothing else for as long as ticks are kept, what it said last holds.
type stock struct {
	p    *Prediction
	from *message.ResourceCopy // nil: none is registered
	list []stocked
	now  []int // of list: the server's word is of the present, and another
}

// stocked is one resource.
type stocked struct {
	number  int
	size    int
	history []byte          // of as many ticks as are kept, in turn
	ticks   []entangle.Tick // whose value stands there
	there   []bool          // there is one

	news    bool          // the server said something since it was last compared
	overdue bool          // what it said last holds at the tick that is gone back to
	since   entangle.Tick // what the histories have of before is known to be wrong
}

func newStock(p *Prediction, from *message.ResourceCopy) stock {
	s := stock{p: p}
	if from == nil {
		return s
	}
	rows := 1 << bits.Len(uint(p.cfg.MaxRollback+1)) // a power of two, for ticks wrap around
	for i := range from.List {
		if r := &from.List[i]; r.Word != nil {
			size := len(columns.MemoryOf(r.Word))
			s.list = append(s.list, stocked{
				number: i, size: size, history: make([]byte, rows*size),
				ticks: make([]entangle.Tick, rows), there: make([]bool, rows),
			})
		}
	}
	if len(s.list) > 0 {
		s.from = from
		from.PredictBy(p)
	}
	return s
}

// Resource implements resourcePredictor.
func (p *Prediction) Resource(number int) {
	for i := range p.stock.list {
		if r := &p.stock.list[i]; r.number == number {
			r.news, p.fresh = true, true
		}
	}
}

// held reports whether the server has said something of one.
func (s *stock) held() bool {
	for i := range s.list {
		if _, _, ok := s.from.Confirmed(s.list[i].number); ok {
			return true
		}
	}
	return false
}

// memory returns that of a resource of the world, nil if there is none.
func (s *stock) memory(r *stocked) []byte {
	there := s.p.world.Resources().Get(s.from.List[r.number].ID)
	if there == nil {
		return nil
	}
	return columns.MemoryOf(there)
}

// row returns where the value of a tick stands, and whether it is that tick's.
func (r *stocked) row(tick entangle.Tick) (value []byte, i int, ok bool) {
	i = int(tick % entangle.Tick(len(r.ticks)))
	return r.history[i*r.size : (i+1)*r.size], i, r.there[i] && r.ticks[i] == tick
}

// save keeps the present as what was at the end of a tick.
func (s *stock) save(tick entangle.Tick) {
	for i := range s.list {
		r := &s.list[i]
		value, at, _ := r.row(tick)
		memory := s.memory(r)
		r.ticks[at], r.there[at] = tick, memory != nil
		copy(value, memory)
	}
}

// endTick puts in what the server says of the tick at hand, and keeps it.
func (s *stock) endTick(tick entangle.Tick) {
	for i := range s.list {
		if word, at, ok := s.from.Confirmed(s.list[i].number); ok && at == tick {
			copy(s.memory(&s.list[i]), word)
		}
	}
	s.save(tick)
}

// restore has the world's be what they were at the end of a tick.
func (s *stock) restore(tick entangle.Tick) {
	for i := range s.list {
		r := &s.list[i]
		memory := s.memory(r)
		if value, _, ok := r.row(tick); ok {
			copy(memory, value)
		}
		word, at, ok := s.from.Confirmed(r.number)
		if ok && (at == tick || r.overdue && at.Before(tick)) {
			copy(memory, word)
		}
		if r.overdue {
			r.overdue, r.since = false, tick
		}
	}
	s.save(tick)
}

// expire has what the server said last hold at a tick that is gone back to, or else the
// present: no history says better.
func (s *stock) expire(tick entangle.Tick) {
	s.save(tick)
	for i := range s.list {
		s.list[i].overdue = true
	}
}

// forget ends what belongs to a connection.
func (s *stock) forget() {
	for i := range s.list {
		s.list[i].news, s.list[i].overdue, s.list[i].since = false, false, s.p.present()
	}
	s.now = s.now[:0]
}

// takeOver has what the server said last hold now.
func (s *stock) takeOver() {
	for i := range s.list {
		r := &s.list[i]
		if word, _, ok := s.from.Confirmed(r.number); ok {
			copy(s.memory(r), word)
		}
		r.news, r.overdue, r.since = false, false, s.p.present()
	}
}

// amend has what the server says of the present hold.
func (s *stock) amend() {
	for _, i := range s.now {
		word, _, _ := s.from.Confirmed(s.list[i].number)
		copy(s.memory(&s.list[i]), word)
		s.list[i].since = s.p.at
	}
	if len(s.now) > 0 {
		s.save(s.p.at)
	}
}

// compare finds out which are other than the server says.
func (s *stock) compare(f entangle.Tick) {
	s.now = s.now[:0]
	for i := range s.list {
		r := &s.list[i]
		word, at, ok := s.from.Confirmed(r.number)
		if !ok {
			r.news = false
			continue
		}
		if r.news {
			s.compareAt(i, word, at)
		}
		s.compareOldest(i, word, at, f)
	}
}

// compareAt compares at the tick that the server speaks of. One that is yet to come is put
// in then.
func (s *stock) compareAt(i int, word []byte, at entangle.Tick) {
	r, now := &s.list[i], s.p.present()
	r.news = false
	switch {
	case at == now:
		if memory := s.memory(r); memory != nil && s.differ(r, memory, word) {
			s.now = append(s.now, i)
		}
	case at.Before(now) && s.p.memory.Holds(at):
		if value, _, ok := r.row(at); !ok || s.differ(r, value, word) {
			s.ask(r, value, word, at)
		}
	}
}

// compareOldest compares at the oldest tick that may be gone back to. What the server said
// last holds there, if it has said nothing since and was heard of as late as that.
func (s *stock) compareOldest(i int, word []byte, at, f entangle.Tick) {
	r := &s.list[i]
	oldest := s.p.present() - entangle.Tick(s.p.cfg.MaxRollback)
	value, _, ok := r.row(oldest)
	if !ok || f.Before(oldest) || oldest.Before(at) || oldest.Before(r.since) || !s.p.memory.Holds(oldest) || !s.differ(r, value, word) {
		return
	}
	if f == s.p.present() {
		s.now = append(s.now, i)
		return
	}
	r.overdue = true
	s.ask(r, value, word, f)
}

func (s *stock) ask(r *stocked, predicted, confirmed []byte, tick entangle.Tick) {
	s.p.cfg.Why.Found(WhyFinding{Reason: ByResource, Tick: tick, Column: r.number, Predicted: predicted, Confirmed: confirmed})
	s.p.ask(tick, ByResource)
}

// differ reports whether two values would be sent as two.
func (s *stock) differ(r *stocked, predicted, confirmed []byte) bool {
	return !s.from.List[r.number].Info.Plan.Equal(predicted, confirmed)
}
