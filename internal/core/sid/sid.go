// Package sid gives out shared ids: numbers by which all sides call an entity the same.
//
// They are the numbers -1 to -2^31 in an order that only the key tells: each comes once,
// and from those that one has seen nobody can say how many others were given out between
// them, or which ones come next. After 2^31 of them they come again.
package sid

// Numbers gives out shared ids.
type Numbers struct {
	keys [rounds]uint64
	next uint32
}

// New returns the numbers in the order of a key, which nobody else should know.
func New(key [2]uint64) *Numbers {
	n := &Numbers{}
	state := key[0]
	for i := range n.keys {
		state = mix(state ^ key[1] + uint64(i))
		n.keys[i] = state
	}
	return n
}

// Next returns the next number, below zero.
func (n *Numbers) Next() int32 {
	place := n.next
	n.next = (n.next + 1) & (1<<width - 1)
	for {
		// What the network leads out of the range leads back into it in the end.
		if place = n.permute(place); place < 1<<width {
			return -1 - int32(place)
		}
	}
}

const (
	width  = 31 // bits of a number
	half   = 16 // of those of a Feistel network's halves
	rounds = 8
)

// permute is a Feistel network over 32 bits: it gives each number another one.
func (n *Numbers) permute(v uint32) uint32 {
	left, right := v>>half, v&(1<<half-1)
	for _, key := range n.keys {
		left, right = right, left^uint32(mix(key^uint64(right)))&(1<<half-1)
	}
	return left<<half | right
}

// mix makes every bit of a word depend on all others.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
