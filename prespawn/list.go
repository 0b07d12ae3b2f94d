package prespawn

import "github.com/entangle-ecs/entangle"

// entry is one entity of a Matcher.
type entry[E comparable] struct {
	entity E
	hash   uint32
	state  State
	early  bool          // it is there before its tick, in all ticks
	absent bool          // the world is at a tick before its spawn
	tick   entangle.Tick // of its spawn; of a server's entity, at the latest
	until  entangle.Tick // it waits for the server's entity up to this tick

	prev, next int32 // in the list, in the order in which they were added
}

// list is a list of entries, from the oldest to the newest. Index 0 is no entry, and links the ends.
type list[E comparable] struct {
	entries []entry[E]
	free    []int32
	len     int
}

// add adds an entry at the end.
func (l *list[E]) add(e entry[E]) (at int32) {
	if len(l.entries) == 0 {
		l.entries = append(l.entries, entry[E]{})
	}
	if n := len(l.free); n > 0 {
		at, l.free = l.free[n-1], l.free[:n-1]
	} else {
		at = int32(len(l.entries))
		l.entries = append(l.entries, entry[E]{})
	}
	last := l.entries[0].prev
	e.prev, e.next = last, 0
	l.entries[at] = e
	l.entries[last].next, l.entries[0].prev = at, at
	l.len++
	return at
}

// remove removes an entry.
func (l *list[E]) remove(at int32) {
	e := &l.entries[at]
	l.entries[e.prev].next, l.entries[e.next].prev = e.next, e.prev
	*e = entry[E]{}
	l.free = append(l.free, at)
	l.len--
}

// first returns the oldest entry, or 0.
func (l *list[E]) first() int32 {
	if len(l.entries) == 0 {
		return 0
	}
	return l.entries[0].next
}
