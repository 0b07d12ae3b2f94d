package interest

import "github.com/entangle-ecs/entangle/internal/core/repl"

// sight is what one viewer looks for, and what it found.
type sight struct {
	x, y      float32
	near, far float32 // the squares of the radii for those that come and those that stay
	was, now  repl.Bitset
}

// scan takes in those of some that are in sight. It has no branches, which nobody could
// foretell at the edge of the circle.
func (s *sight) scan(spots []spot) {
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
