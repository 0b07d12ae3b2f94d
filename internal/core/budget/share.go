package budget

import (
	"math"
	"slices"
)

// Share divides what there is among those who want it, equally but for this: nobody gets
// more than it wants, and what one leaves the others get. It keeps its memory from one
// division to the next.
type Share struct{ sorted []int }

// Divide replaces what each wants, 0 or more, by what it gets of total. What does not come
// out even goes to the first. A total below 0 is none.
func (s *Share) Divide(wants []int, total int) {
	total = max(total, 0)
	level, odd := s.level(wants, total)
	for i, want := range wants {
		if want <= level {
			continue
		}
		wants[i] = level
		if odd > 0 {
			wants[i]++
			odd--
		}
	}
}

// level returns how much everybody gets who wants as much, and how many get one more.
func (s *Share) level(wants []int, total int) (level, odd int) {
	s.sorted = append(s.sorted[:0], wants...)
	slices.Sort(s.sorted)
	for i, want := range s.sorted {
		among := len(s.sorted) - i
		if want > total/among {
			return total / among, total % among
		}
		total -= want
	}
	return math.MaxInt, 0
}

// Two divides a total between two as Share does.
func Two(total, a, b int) (forA, forB int) {
	total = max(total, 0)
	forA = min(a, max(total-total/2, total-b))
	return forA, min(b, total-forA)
}
