package ident

import (
	"math/bits"

	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// Viewer is a peer at which a private group has a handle. Its fields, from the low bits: the
// handle, the number of the peer, and whether the group is shown to it. It is one word, because many
// lists of viewers are read.
type Viewer uint64

const (
	handleBits = 20
	peerBits   = 16 // width of a peer's number: a list has no more viewers than that allows
	shownBit   = handleBits + peerBits

	_ = uint(1<<handleBits - repl.MaxGroups) // every handle has room
)

// NewViewer returns a peer with a new handle, less repl.Private, that is not shown the group yet:
// the handle is only reserved, for references.
func NewViewer(peer uint16, at int) Viewer {
	return Viewer(at) | Viewer(peer)<<handleBits
}

// Handle returns the handle, less repl.Private.
func (v Viewer) Handle() int { return int(v & (1<<handleBits - 1)) }

func (v Viewer) Peer() uint16 { return uint16(v >> handleBits) }

// Shown reports whether the group is shown, and the handle not merely reserved.
func (v Viewer) Shown() bool { return v>>shownBit&1 != 0 }

func (v *Viewer) SetShown(on bool) {
	*v &^= 1 << shownBit
	if on {
		*v |= 1 << shownBit
	}
}

// usualViewers is the initial capacity of a list of viewers: one cache line.
const usualViewers = 1 << usualBits

const usualBits = 3

// Viewers lends memory to lists of viewers. Visibility changes all the time, and with it the
// length of each list, but hardly the sum of all lengths: memory that one list returns is used by
// another. It keeps the largest number of lists of each size that was ever in use.
type Viewers struct {
	free  [peerBits - usualBits + 1][][]Viewer // by size, each twice the one before
	fresh []Viewer                             // never lent
}

// freshViewers is the least number of viewers for which memory is made at a time.
const freshViewers = 1 << 12

// Add puts a viewer into a list.
func (l *Viewers) Add(list []Viewer, v Viewer) []Viewer {
	if len(list) == cap(list) {
		list = l.resize(list, max(2*cap(list), usualViewers))
	}
	return append(list, v)
}

// Fit takes back a list that uses little of its memory. A list that soon grows again does so in the
// memory that it kept.
func (l *Viewers) Fit(list []Viewer) []Viewer {
	switch {
	case len(list) == 0:
		l.Put(list)
		return nil
	case cap(list) > usualViewers && len(list) <= cap(list)/4:
		return l.resize(list, cap(list)/2)
	}
	return list
}

func (l *Viewers) resize(list []Viewer, size int) []Viewer {
	other := append(l.takeList(size), list...)
	l.Put(list)
	return other
}

// sizeOf returns the index of a size.
func sizeOf(n int) int { return bits.Len(uint(n)) - 1 - usualBits }

func (l *Viewers) takeList(size int) (list []Viewer) {
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

// renew makes memory for n viewers. The rest of the old memory is lent as it is.
func (l *Viewers) renew(n int) {
	for len(l.fresh) > 0 {
		size := 1 << (bits.Len(uint(len(l.fresh))) - 1)
		l.Put(l.fresh[:0:size])
		l.fresh = l.fresh[size:]
	}
	l.fresh = make([]Viewer, n)
}

// Put takes back the memory of a list, if it has any.
func (l *Viewers) Put(list []Viewer) {
	if cap(list) > 0 {
		free := &l.free[sizeOf(cap(list))]
		*free = append(*free, list[:0])
	}
}
