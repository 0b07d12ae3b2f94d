package interest

import "github.com/entangle-ecs/entangle/internal/set"

// search is the search of one viewer, and its result.
type search struct {
	x, y      float32
	near, far float32 // the squares of the radii for new entities and for visible ones
	was, now  set.Bitset
}

// scan adds the visible entities among spots. It has no branches, because those at the edge of
// the circle would be unpredictable.
func (s *search) scan(spots []spot) {
	x, y, near, far := s.x, s.y, s.near, s.far
	was, now := s.was, s.now
	for i := range spots {
		p := &spots[i]
		dx, dy := p.x-x, p.y-y
		d := float32(dx*dx) + float32(dy*dy) // not fused, so it is the same anywhere
		word, at := p.entity>>6, p.entity&63
		now[word] |= (bit(d <= near) | bit(d <= far)&(was[word]>>at)) << at
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
