package interest

import "github.com/entangle-ecs/entangle/internal/set"

// search finds the entities that one viewer sees.
type search struct {
	x, y      float32
	near, far float32 // the squares of the radii for new entities and for visible ones
	was, now  set.Bitset
}

// scan adds the visible entities among spots to now. It has no branches that depend on the data,
// because those would be unpredictable at the edge of the circle.
func (s *search) scan(spots []spot) {
	x, y, near, far := s.x, s.y, s.near, s.far
	was, now := s.was, s.now
	for i := range spots {
		p := &spots[i]
		dx, dy := p.x-x, p.y-y
		d := float32(dx*dx) + float32(dy*dy) // not fused, so that it is the same on all machines
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
