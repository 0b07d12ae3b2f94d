package snapshot

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/set"
)

// ring has the memory of the samples. The samples of an entity are numbered in the order of their
// ticks. Sample n is in row n modulo the capacity, which all entities share. A row of a column has
// the values of all slots, so if all entities are updated in every tick, the values of one tick are
// contiguous.
type ring struct {
	capacity int             // number of rows, a power of two
	stride   int             // number of slots that there is memory for
	ticks    []entangle.Tick // by row and slot
	jumps    []uint8         // the number of teleports up to the sample, by row and slot
	planes   [][]byte        // by column, then row and slot; nil until the column is used
	sizes    []int
	most     int // maxBytes
}

// leastCapacity is the number of rows that there are in any case: for the two samples that an entity
// is shown between, one behind them, and one ahead.
const leastCapacity = 4

func newRing(kinds []Kind) ring {
	const capacity, stride = leastCapacity, 64
	r := ring{capacity: capacity, stride: stride, most: maxBytes, planes: make([][]byte, len(kinds))}
	for _, k := range kinds {
		r.sizes = append(r.sizes, k.Size)
	}
	r.ticks, r.jumps = make([]entangle.Tick, capacity*stride), make([]uint8, capacity*stride)
	return r
}

// index returns the index of a sample in ticks and planes.
func (r *ring) index(slot Slot, number uint32) uint32 {
	return (number&uint32(r.capacity-1))*uint32(r.stride) + uint32(slot)
}

// value returns the memory of a value.
func (r *ring) value(col int, index uint32) []byte {
	size := r.sizes[col]
	at := int(index) * size
	return r.planes[col][at : at+size : at+size]
}

// use makes sure that a column has memory.
func (r *ring) use(col int) {
	if r.planes[col] == nil {
		r.planes[col] = make([]byte, r.capacity*r.stride*r.sizes[col])
	}
}

// fits reports whether a number of rows takes no more than maxBytes, if cols are in use in addition.
func (r *ring) fits(capacity, stride int, cols *set.Mask) bool {
	row := int64(5)
	for col, plane := range r.planes {
		if plane != nil || cols.Has(col) {
			row += int64(r.sizes[col])
		}
	}
	return capacity <= leastCapacity || int64(capacity)*int64(stride)*row <= int64(r.most)
}

// bytes returns the size of the samples of all slots.
func (r *ring) bytes() int {
	n := 5 * len(r.ticks)
	for _, plane := range r.planes {
		n += len(plane)
	}
	return n
}

// copySample copies a sample of a slot.
func (s *Store) copySample(slot Slot, to, from uint32) {
	to, from = s.index(slot, to), s.index(slot, from)
	s.ticks[to], s.jumps[to] = s.ticks[from], s.jumps[from]
	for col := range s.members[slot].cols.All() {
		copy(s.value(col, to), s.value(col, from))
	}
}

// reserve makes room for one more sample of a slot, by more memory for all slots or, if that would be
// more than MaxSamples or maxBytes, by dropping one.
func (s *Store) reserve(slot Slot) {
	e := &s.entities[slot]
	if int(e.count) < s.capacity {
		return
	}
	if s.capacity < MaxSamples && s.fits(2*s.capacity, s.stride, &set.Mask{}) {
		s.resize(2*s.capacity, s.stride)
		return
	}
	s.drop(slot)
}

// drop drops the sample after the two that an entity is shown between. So neither the shown value nor
// the newest samples change.
func (s *Store) drop(slot Slot) {
	e := &s.entities[slot]
	dropped := e.from() + 2
	if !e.shown {
		dropped = e.first + 1
	}
	for n := dropped; n != e.first; n-- {
		s.copySample(slot, n, n-1)
	}
	e.first++
	e.count--
	s.pair(slot)
	s.stats.Dropped++
}

// makeFit reduces the number of rows, before there are more slots or columns, until they take no more
// than maxBytes. Entities with more samples lose some.
func (s *Store) makeFit(stride int, cols *set.Mask) {
	capacity := s.capacity
	for !s.fits(capacity, stride, cols) {
		capacity /= 2
	}
	if capacity == s.capacity {
		return
	}
	for slot := range s.entities {
		for int(s.entities[slot].count) > capacity {
			s.drop(Slot(slot))
		}
	}
	s.resize(capacity, s.stride)
}

// resize changes the numbers of rows and slots.
func (s *Store) resize(capacity, stride int) {
	old := s.ring
	s.capacity, s.stride = capacity, stride
	s.ticks, s.jumps = make([]entangle.Tick, capacity*stride), make([]uint8, capacity*stride)
	s.planes = make([][]byte, len(old.planes))
	for col, plane := range old.planes {
		if plane != nil {
			s.use(col)
		}
	}
	for slot := range s.entities {
		slot, e := Slot(slot), &s.entities[slot]
		for n := range uint32(e.count) {
			n += e.first
			from, to := old.index(slot, n), s.index(slot, n)
			s.ticks[to], s.jumps[to] = old.ticks[from], old.jumps[from]
			for col := range s.members[slot].cols.All() {
				copy(s.value(col, to), old.value(col, from))
			}
		}
		s.pair(slot)
	}
}

// pair finds the indexes of the two samples that a slot is shown between. They are the same if there
// is no second one, and if the entity is teleported to it.
func (s *Store) pair(slot Slot) {
	e := &s.entities[slot]
	from := s.index(slot, e.from())
	to := from
	e.held = false
	if e.shown && !e.resting() {
		next := s.index(slot, e.from()+1)
		if e.held = s.jumps[next] != s.jumps[from]; !e.held {
			to = next
		}
	}
	if s.pairs.from[slot], s.pairs.to[slot] = from, to; from == to {
		s.pairs.share[slot] = 0
	}
}
