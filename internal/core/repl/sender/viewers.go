package sender

import (
	"math/bits"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// viewer is a peer that a private group has a handle at: from the low bits on the handle, the
// number of the peer, whether the group is shown to it, and since when it has the handle. It is
// one word: of so many groups so many lists are read.
type viewer uint64

const (
	handleBits = 20
	seatBits   = 16 // how wide the number of a peer is: a list has no more viewers than that allows
	shownBit   = handleBits + seatBits
	sinceBit   = shownBit + 1

	_ = uint(1<<handleBits - repl.MaxGroups)  // every handle has room, and
	_ = uint(64 - sinceBit - (32 - restBits)) // every tick
)

// newViewer returns a peer that is given a handle, less repl.Private, and is not shown the group
// yet: the handle is merely reserved, for references.
func newViewer(seat uint16, at int32, now entangle.Tick) viewer {
	return viewer(at) | viewer(seat)<<handleBits | viewer(now>>restBits)<<sinceBit
}

// at returns the handle, less repl.Private.
func (v viewer) at() int { return int(v & (1<<handleBits - 1)) }

func (v viewer) seat() uint16 { return uint16(v >> handleBits) }

// shown reports whether the handle is not merely reserved.
func (v viewer) shown() bool { return v>>shownBit&1 != 0 }

func (v *viewer) show(on bool) {
	*v &^= 1 << shownBit
	if on {
		*v |= 1 << shownBit
	}
}

// since returns a tick at which the handle was the group's already, or was nobody's any more: it
// is rounded down, and handles rest for longer than that takes away.
func (v viewer) since() entangle.Tick { return entangle.Tick(v>>sinceBit) << restBits }

// usualViewers is for how many viewers of a group there is room at once: a line of the cache.
const usualViewers = 1 << usualBits

const usualBits = 3

// viewerLists lends the lists of viewers their memory. Who sees what changes all the time,
// and with it how long each list is, but hardly how long they are together: what one gives
// back another takes. It keeps the most of each size that there ever was in use.
type viewerLists struct {
	free  [seatBits - usualBits + 1][][]viewer // by size, each twice the one before
	fresh []viewer                             // never lent
}

// freshViewers is how many viewers memory is made for at a time, at least.
const freshViewers = 1 << 12

// add puts a viewer into a list.
func (l *viewerLists) add(list []viewer, v viewer) []viewer {
	if len(list) == cap(list) {
		list = l.resize(list, max(2*cap(list), usualViewers))
	}
	return append(list, v)
}

// fit takes back what a list has become too short for. One that grows again soon does so in
// what it has kept.
func (l *viewerLists) fit(list []viewer) []viewer {
	switch {
	case len(list) == 0:
		l.put(list)
		return nil
	case cap(list) > usualViewers && len(list) <= cap(list)/4:
		return l.resize(list, cap(list)/2)
	}
	return list
}

func (l *viewerLists) resize(list []viewer, size int) []viewer {
	other := append(l.take(size), list...)
	l.put(list)
	return other
}

// sizeOf returns which of the sizes one is.
func sizeOf(n int) int { return bits.Len(uint(n)) - 1 - usualBits }

func (l *viewerLists) take(size int) (list []viewer) {
	free := &l.free[sizeOf(size)]
	if last := len(*free) - 1; last >= 0 {
		list, *free = (*free)[last], (*free)[:last]
		return list
	}
	if len(l.fresh) < size {
		l.renew(max(size, freshViewers))
	}
	list, l.fresh = l.fresh[:0:size], l.fresh[size:]
	return list
}

// renew makes memory for n viewers. What is left is lent as it is.
func (l *viewerLists) renew(n int) {
	for len(l.fresh) > 0 {
		size := 1 << (bits.Len(uint(len(l.fresh))) - 1)
		l.put(l.fresh[:0:size])
		l.fresh = l.fresh[size:]
	}
	l.fresh = make([]viewer, n)
}

// put takes back the memory of a list, if it has any.
func (l *viewerLists) put(list []viewer) {
	if cap(list) > 0 {
		free := &l.free[sizeOf(cap(list))]
		*free = append(*free, list[:0])
	}
}
