package snapshot

import "github.com/entangle-ecs/entangle"

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
}

func newRing(kinds []Kind) ring {
	const capacity, stride = 4, 64
	r := ring{capacity: capacity, stride: stride, planes: make([][]byte, len(kinds))}
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

// reserve makes room for one more sample of a slot, by more memory for all slots or, if there are
// MaxSamples, by dropping the one after the two that the entity is shown between. So neither the
// shown value nor the newest samples change.
func (s *Store) reserve(slot Slot) {
	e := &s.entities[slot]
	if int(e.count) < s.capacity {
		return
	}
	if s.capacity < MaxSamples {
		s.resize(2*s.capacity, s.stride)
		return
	}
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
