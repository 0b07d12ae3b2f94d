package ident

import (
	"math/bits"

	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// Viewer is a peer at which a private group has a handle. It packs, from the low bits up, the handle, the index of
// the peer, and whether the group is shown to the peer. It is one word because each tick reads many lists of viewers.
type Viewer uint64

const (
	handleBits = 20
	peerBits   = 16 // width of a peer's index, so a list has at most 1<<peerBits viewers
	shownBit   = handleBits + peerBits

	_ = uint(1<<handleBits - repl.MaxGroups) // every handle fits into handleBits
)

// NewViewer returns a peer with a handle of its private table. The group is not shown to the peer yet: the handle is
// reserved, so that references to the group's entities can be sent.
func NewViewer(peer uint16, handle int) Viewer {
	return Viewer(handle) | Viewer(peer)<<handleBits
}

// Handle returns the handle in the peer's private table: the handle on the wire minus repl.Private.
func (v Viewer) Handle() int { return int(v & (1<<handleBits - 1)) }

// Peer returns the index of the peer.
func (v Viewer) Peer() uint16 { return uint16(v >> handleBits) }

// Shown reports whether the group is shown to the peer. If it is not, its handle is only reserved.
func (v Viewer) Shown() bool { return v>>shownBit&1 != 0 }

// SetShown sets whether the group is shown to the peer.
func (v *Viewer) SetShown(shown bool) {
	*v &^= 1 << shownBit
	if shown {
		*v |= 1 << shownBit
	}
}

// minCapacity is the capacity of the smallest list of viewers: one cache line.
const minCapacity = 1 << minCapacityBits

const minCapacityBits = 3

// ViewerLists allocates the memory of lists of viewers, in arrays with a power of two as capacity. Visibility
// changes the length of each list all the time, but hardly the sum of all lengths, so an array that one list releases
// is reused by another. Released arrays are kept: of each size there remain as many as were ever in use at once.
// With a list of its own for each group, the case tick-views/grid allocates 8 times per tick and takes 10 % longer.
type ViewerLists struct {
	free  [peerBits - minCapacityBits + 1][][]Viewer // by size class; see sizeClass
	chunk []Viewer                                   // memory that no list has used yet
}

// chunkSize is the smallest number of viewers for which memory is allocated at a time.
const chunkSize = 1 << 12

// Append appends a viewer to a list with memory from l.
func (l *ViewerLists) Append(list []Viewer, v Viewer) []Viewer {
	if len(list) == cap(list) {
		list = l.resize(list, max(2*cap(list), minCapacity))
	}
	return append(list, v)
}

// Shrink moves a list to a smaller array if it uses at most a quarter of its own. The new array has room for twice
// the length, so that a list which grows again soon is not moved back at once.
func (l *ViewerLists) Shrink(list []Viewer) []Viewer {
	switch {
	case len(list) == 0:
		l.Release(list)
		return nil
	case cap(list) > minCapacity && len(list) <= cap(list)/4:
		return l.resize(list, cap(list)/2)
	}
	return list
}

func (l *ViewerLists) resize(list []Viewer, size int) []Viewer {
	other := append(l.allocate(size), list...)
	l.Release(list)
	return other
}

// sizeClass returns the index in ViewerLists.free of a capacity: 0 for minCapacity, and 1 more for each doubling.
func sizeClass(n int) int { return bits.Len(uint(n)) - 1 - minCapacityBits }

func (l *ViewerLists) allocate(size int) (list []Viewer) {
	free := &l.free[sizeClass(size)]
	if last := len(*free) - 1; last >= 0 {
		list, *free = (*free)[last], (*free)[:last]
		return list
	}
	if len(l.chunk) < size {
		l.allocateChunk(max(size, chunkSize))
	}
	list, l.chunk = l.chunk[:0:size], l.chunk[size:]
	return list
}

// allocateChunk allocates memory for n viewers. What is left of the old chunk becomes free arrays.
func (l *ViewerLists) allocateChunk(n int) {
	for len(l.chunk) > 0 {
		size := 1 << (bits.Len(uint(len(l.chunk))) - 1)
		l.Release(l.chunk[:0:size])
		l.chunk = l.chunk[size:]
	}
	l.chunk = make([]Viewer, n)
}

// Release frees the array of a list for other lists.
func (l *ViewerLists) Release(list []Viewer) {
	if cap(list) > 0 {
		free := &l.free[sizeClass(cap(list))]
		*free = append(*free, list[:0])
	}
}
