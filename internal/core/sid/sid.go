// Package sid generates shared ids: numbers by which all sides identify the same entity.
//
// They are the numbers -1 to -2^31, in an order that depends on a key. Each is generated once;
// after 2^31 numbers the sequence repeats. From some of the numbers, nobody without the key can
// infer how many others lie between them, or which ones follow.
package sid

// Numbers generates shared ids.
type Numbers struct {
	keys [rounds]uint64
	next uint32
}

// New returns a generator with an order that depends on key. The key must be kept secret.
func New(key [2]uint64) *Numbers {
	n := &Numbers{}
	state := key[0]
	for i := range n.keys {
		state = mix(state ^ key[1] + uint64(i))
		n.keys[i] = state
	}
	return n
}

// Next returns the next number, which is negative.
func (n *Numbers) Next() int32 {
	place := n.next
	n.next = (n.next + 1) & (1<<width - 1)
	for {
		if place = n.permute(place); place < 1<<width {
			return -1 - int32(place)
		}
	}
}

const (
	width     = 31 // bits of an id
	halfWidth = 16 // bits of a half of the Feistel network
	rounds    = 8
)

// permute is a Feistel network: a permutation of the 32-bit numbers.
func (n *Numbers) permute(v uint32) uint32 {
	left, right := v>>halfWidth, v&(1<<halfWidth-1)
	for _, key := range n.keys {
		left, right = right, left^uint32(mix(key^uint64(right)))&(1<<halfWidth-1)
	}
	return left<<halfWidth | right
}

// mix returns a word in which every bit depends on all bits of x.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
