package budget

import (
	"math"
	"slices"
)

// Share divides a total equally, but no part exceeds the wanted amount; what remains goes to the
// others. Its memory is reused for the next division.
type Share struct{ sorted []int }

// Divide replaces each wanted amount, which must not be negative, by its part of total. A remainder
// goes to the first ones that want more. A negative total counts as 0.
func (s *Share) Divide(wants []int, total int) {
	total = max(total, 0)
	level, more := s.level(wants, total)
	for i, want := range wants {
		if want <= level {
			continue
		}
		wants[i] = level
		if more > 0 {
			wants[i]++
			more--
		}
	}
}

// level returns the part of everyone that wants at least as much, and how many of them get one
// more.
func (s *Share) level(wants []int, total int) (level, more int) {
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

// Two divides a total between two, as Share does.
func Two(total, a, b int) (forA, forB int) {
	total = max(total, 0)
	forA = min(a, max(total-total/2, total-b))
	return forA, min(b, total-forA)
}
