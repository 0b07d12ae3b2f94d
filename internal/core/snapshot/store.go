package snapshot

import (
	"cmp"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/set"
)

// MaxSamples is the most samples that are held of one entity. With an update in each tick at 60 Hz
// it is 4 seconds, which is more than any client shows its entities late.
const MaxSamples = 256

// maxBytes is the most memory for samples, apart from that of four of each slot. When more samples
// would take more, the oldest one after the shown two of an entity is dropped. It is enough for 32
// samples of 60 bytes of 30,000 entities.
const maxBytes = 64 << 20

// Kind describes the values of a column. Its functions get the memory of values and must not keep
// it.
type Kind struct {
	Size int // bytes of a value; 0: the column has no samples

	// Blend sets dst to the values at t, more than 0 and less than 1, between a and b. It is called
	// for any number of values at once. If it and Each are nil, the first is shown until the tick of
	// the second.
	Blend func(dst, a, b []byte, t float64)
	// Each is Blend for values that are anywhere in plane: it sets value i of dst to the value at
	// share[i] between the values at the indexes from[i] and to[i]. A share of 0 or 1 gives the
	// bytes of an end.
	Each func(dst, plane []byte, from, to []uint32, share []float32)
	// Curve is Each for values that are blended together with those of another column, With, which
	// are in the plane with, such as positions with velocities. seconds[i] is the time from the first
	// sample to the second. Entities without that column use Blend and Each. nil: all do.
	Curve func(dst, plane, with []byte, from, to []uint32, share, seconds []float32)
	With  int
	// Discrete copies from one value to another what Blend does not blend, such as flags: a late sample has it at once.
	// nil: there is nothing of that.
	Discrete func(dst, from []byte)
	// TooFar reports whether two values differ too much to be blended. If it is nil, they never do.
	TooFar func(a, b []byte) bool
	// Extrapolate is for how many ticks a value continues in its direction after the newest sample.
	// Then Each must handle shares greater than 1. 0: it rests at once.
	Extrapolate uint16
}

// Slot is the number of an entity, which is small and never 0.
type Slot uint32

// Store holds the samples of a client's interpolated entities. The package documentation shows how
// to use it.
type Store struct {
	kinds   []Kind
	second  moment
	sampled set.Mask // columns with samples
	limited set.Mask // columns with a TooFar
	withs   set.Mask // columns that are the With of others
	behind  uint8    // samples that are held behind the shown one: 1 if a column extrapolates

	ring
	entities  []entity     // by slot
	members   []member     // by slot
	pairs     pairs        // by slot
	far       []set.Bitset // by column and slot: the values of the pair are too far from each other
	functions []functions  // by column
	free      []Slot
	classes   []*class // by every

	selected selection
	scratch  scratch
	single   [1]Slot // the selection of shownValues
	moving   []byte  // the values of shownValues
	stats    Stats
}

// entity is the state of one slot that changes from tick to tick.
type entity struct {
	movement
	first     uint32        // number of the oldest sample; see ring
	newest    entangle.Tick // of the newest sample
	count     uint16        // of samples
	behind    uint8         // number of samples before the one that it moves from
	shown     bool
	restarted bool // it moves from values that are no sample
	late      bool // the newest sample is reached after its tick
	held      bool // it is teleported to the next sample, so that the two of its pair are the same
}

// member is the other state of one slot.
type member struct {
	class *class // nil: the slot is not in use
	place uint32 // in class.slots
	jumps uint8  // see SetTeleports
	cols  set.Mask
}

// from returns the number of the sample that the entity moves from. Before it is shown, this is
// the first one.
func (e *entity) from() uint32 { return e.first + uint32(e.behind) }

// last returns the number of the newest sample. There must be one.
func (e *entity) last() uint32 { return e.first + uint32(e.count) - 1 }

// resting reports whether the entity is shown and there is no sample to move to.
func (e *entity) resting() bool { return e.shown && e.from() == e.last() }

// class is the timeline of the entities with the same number of ticks between two updates.
type class struct {
	every   uint16
	started bool   // now has been set
	now     moment // the shown time
	slots   []Slot
}

// pairs are the indexes, in the planes of ring, of the two samples that entities are shown between.
type pairs struct {
	from, to []uint32
	share    []float32 // of the second; 0 if both are the same
}

// slotBytes is the memory of an element of entities, members and pairs, and of class.slots.
const slotBytes = 40 + 48 + 12 + 4

func (p *pairs) add(from, to uint32, share float32) {
	p.from, p.to, p.share = append(p.from, from), append(p.to, to), append(p.share, share)
}

func (p *pairs) resize(n int) {
	p.from, p.to, p.share = slices.Grow(p.from[:0], n)[:n], slices.Grow(p.to[:0], n)[:n], slices.Grow(p.share[:0], n)[:n]
}

func (p *pairs) reset() { p.from, p.to, p.share = p.from[:0], p.to[:0], p.share[:0] }

// Stats are counters and sizes of a store.
type Stats struct {
	Slots   int    // in use
	Samples int    // that there is memory for, for each slot
	Bytes   int    // of the samples and the state of all slots
	Ignored uint64 // samples that were not newer than the newest one
	Dropped uint64 // samples that were dropped because there were more than MaxSamples, or maxBytes
	// Late counts what was shown at once when it arrived, and not when its tick was: an entity waited for its sample,
	// or was new and due already.
	Late uint64
}

// New returns an empty store. Columns are numbered by the order of kinds. tickRate is the number of
// ticks per second, at least 1.
func New(kinds []Kind, tickRate int) *Store {
	s := &Store{kinds: append([]Kind(nil), kinds...), far: make([]set.Bitset, len(kinds)), functions: make([]functions, len(kinds))}
	s.second = moment(tickRate) * oneTick
	for col := range s.kinds {
		k := &s.kinds[col]
		if k.Size == 0 {
			continue
		}
		s.sampled.Set(col)
		if k.TooFar != nil {
			s.limited.Set(col)
		}
		if k.Curve != nil {
			s.withs.Set(k.With)
		}
		if k.Each == nil {
			k.Blend, k.Each = hold, holdEach(k.Size)
		}
		if k.Extrapolate > 0 {
			s.behind = 1
		}
	}
	s.ring = newRing(s.kinds)
	s.addSlot() // slot 0
	return s
}

// hold is a Kind.Blend that does not blend.
func hold(dst, a, _ []byte, _ float64) { copy(dst, a) }

// holdEach returns a Kind.Each that does not blend.
func holdEach(size int) func(dst, plane []byte, from, to []uint32, share []float32) {
	return func(dst, plane []byte, from, to []uint32, share []float32) {
		for i, t := range share {
			at := from[i]
			if t >= 1 {
				at = to[i]
			}
			copy(dst[i*size:(i+1)*size], plane[int(at)*size:])
		}
	}
}

// Add returns a slot for an entity with the given number of ticks between two updates; 0 is 1.
func (s *Store) Add(every uint16) Slot {
	var slot Slot
	if n := len(s.free); n > 0 {
		slot, s.free = s.free[n-1], s.free[:n-1]
	} else {
		slot = s.addSlot()
	}
	c := s.class(every)
	s.members[slot] = member{class: c, place: uint32(len(c.slots))}
	c.slots = append(c.slots, slot)
	s.stats.Slots++
	return slot
}

// addSlot returns a slot that was never in use.
func (s *Store) addSlot() Slot {
	slot := len(s.entities)
	if slot == s.stride {
		s.makeFit(s.stride+s.stride/2, &set.Mask{})
		s.resize(s.capacity, s.stride+s.stride/2)
	}
	s.entities = append(s.entities, entity{})
	s.members = append(s.members, member{})
	s.pairs.add(0, 0, 0)
	for col := range s.limited.All() {
		s.far[col].Grow(slot + 1)
	}
	return Slot(slot)
}

// class returns the class of a number of ticks between two updates. There are few, unless a server is hostile.
func (s *Store) class(every uint16) *class {
	every = max(every, 1)
	at, ok := slices.BinarySearchFunc(s.classes, every, func(c *class, every uint16) int { return cmp.Compare(c.every, every) })
	if !ok {
		s.classes = slices.Insert(s.classes, at, &class{every: every})
	}
	return s.classes[at]
}

// SetEvery sets the number of ticks between two updates of an entity. It goes on from its shown values, at the
// shown time of its new class.
func (s *Store) SetEvery(slot Slot, every uint16) {
	e, m := &s.entities[slot], &s.members[slot]
	c, was := s.class(every), m.class
	if c == was {
		return
	}
	if !c.started { // its time has not been advanced
		c.started, c.now = was.started, was.now
	}
	s.leave(slot)
	m.class, m.place = c, uint32(len(c.slots))
	c.slots = append(c.slots, slot)
	switch {
	case e.resting(): // it may be shown beyond its newest sample
		passed := c.now - was.now
		e.before, e.start, e.end = e.before+passed, e.start+passed, e.end+passed
	case e.shown:
		s.restart(slot, set.Mask{}, nil)
	}
}

// leave takes an entity out of its class.
func (s *Store) leave(slot Slot) {
	m := s.members[slot]
	slots := m.class.slots
	last := slots[len(slots)-1]
	slots[m.place], s.members[last].place = last, m.place
	m.class.slots = slots[:len(slots)-1]
}

// Classes calls do for each number of ticks between two updates that some entity has, or had: so all of them can be
// advanced, and the first entity that gets one again is not shown at a time of long ago.
func (s *Store) Classes(do func(every uint16)) {
	for _, c := range s.classes {
		do(c.every)
	}
}

// Remove frees a slot, so that Add may return it again.
func (s *Store) Remove(slot Slot) {
	m := s.members[slot]
	if m.class == nil {
		return
	}
	s.leave(slot)
	for col := range s.functions {
		s.removeFunction(slot, col)
	}
	s.entities[slot], s.members[slot] = entity{}, member{}
	s.free = append(s.free, slot)
	s.stats.Slots--
}

// Reset removes all classes with their shown times, because the ticks of the next server may be earlier.
// No slot may be in use.
func (s *Store) Reset() {
	clear(s.classes)
	s.classes = s.classes[:0]
}

// Shown reports whether the shown time has reached the first sample of a slot.
func (s *Store) Shown(slot Slot) bool { return s.entities[slot].shown }

// Holds reports whether a slot is shown with all of some columns.
func (s *Store) Holds(slot Slot, cols *set.Mask) bool {
	return s.entities[slot].shown && s.members[slot].cols.Holds(cols)
}

// Late returns Stats.Late.
func (s *Store) Late() uint64 { return s.stats.Late }

// Stats returns the counters and sizes.
func (s *Store) Stats() Stats {
	stats := s.stats
	stats.Samples = s.capacity
	stats.Bytes = s.ring.bytes() + len(s.entities)*slotBytes
	return stats
}
