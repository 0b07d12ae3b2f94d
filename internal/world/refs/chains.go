package refs

// Chains are linked lists of small numbers, one list per key. A number is in one list at most.
type Chains[K comparable] struct {
	Heads map[K]int32
	links []neighbours // by number
}

// neighbours are the previous and the next number of a number; -1: none.
type neighbours struct{ prev, next int32 }

func NewChains[K comparable]() Chains[K] { return Chains[K]{Heads: map[K]int32{}} }

func (c *Chains[K]) First(k K) (i int32, ok bool) {
	if len(c.Heads) == 0 {
		return 0, false
	}
	i, ok = c.Heads[k]
	return i, ok
}

// Next returns the number that follows a number in its list.
func (c *Chains[K]) Next(i int32) (next int32, ok bool) {
	next = c.links[i].next
	return next, next >= 0
}

func (c *Chains[K]) Add(k K, i int32) {
	for int(i) >= len(c.links) {
		c.links = append(c.links, neighbours{})
	}
	c.links[i] = neighbours{prev: -1, next: -1}
	if head, ok := c.First(k); ok {
		c.links[i].next = head
		c.links[head].prev = i
	}
	c.Heads[k] = i
}

func (c *Chains[K]) Remove(k K, i int32) {
	at := c.links[i]
	if at.next >= 0 {
		c.links[at.next].prev = at.prev
	}
	switch {
	case at.prev >= 0:
		c.links[at.prev].next = at.next
	case at.next >= 0:
		c.Heads[k] = at.next
	default:
		delete(c.Heads, k)
	}
}
