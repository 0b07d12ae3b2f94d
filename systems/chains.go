package systems

// chains are lists of small numbers by key. A number is in one of them at most.
type chains[K comparable] struct {
	heads map[K]int32
	links []neighbours // by number
}

// neighbours are the numbers before and after another; -1: there is none.
type neighbours struct{ prev, next int32 }

func newChains[K comparable]() chains[K] { return chains[K]{heads: map[K]int32{}} }

func (c *chains[K]) first(k K) (i int32, ok bool) {
	if len(c.heads) == 0 {
		return 0, false
	}
	i, ok = c.heads[k]
	return i, ok
}

// next returns the number after another of the same key.
func (c *chains[K]) next(i int32) (next int32, ok bool) {
	next = c.links[i].next
	return next, next >= 0
}

func (c *chains[K]) add(k K, i int32) {
	for int(i) >= len(c.links) {
		c.links = append(c.links, neighbours{})
	}
	c.links[i] = neighbours{prev: -1, next: -1}
	if head, ok := c.first(k); ok {
		c.links[i].next = head
		c.links[head].prev = i
	}
	c.heads[k] = i
}

func (c *chains[K]) remove(k K, i int32) {
	at := c.links[i]
	if at.next >= 0 {
		c.links[at.next].prev = at.prev
	}
	switch {
	case at.prev >= 0:
		c.links[at.prev].next = at.next
	case at.next >= 0:
		c.heads[k] = at.next
	default:
		delete(c.heads, k)
	}
}
