package interest

import "github.com/entangle-ecs/entangle/internal/set"

// marks is a sparse set. Iterating over it and emptying it take time for each member, plus a bit
// for each 64 rows.
type marks struct {
	set   set.Bitset
	words set.Bitset // the words of set that are not zero
}

func (m *marks) grow(rows int) {
	m.set.Grow(rows)
	m.words.Grow(len(m.set))
}

// addBits adds bits to a word, which must exist.
func (m *marks) addBits(word int, bits uint64) {
	m.set[word] |= bits
	m.words.Set(word)
}

// next returns the smallest member that is at least from, or -1.
func (m *marks) next(from int) int {
	if from>>6 < len(m.set) && m.set[from>>6]>>(from&63) != 0 {
		return m.set.Next(from)
	}
	word := m.words.Next(from>>6 + 1)
	if word < 0 {
		return -1
	}
	return m.set.Next(word << 6)
}

func (m *marks) reset() {
	for word := m.words.Next(0); word >= 0; word = m.words.Next(word + 1) {
		m.set[word] = 0
	}
	m.words.Reset()
}
