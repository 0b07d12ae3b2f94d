package sender

import (
	"math"
	"slices"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// kind is what stands before the values of an update of one entity: that there are no
// references, that it is alone, and which components follow. Groups whose updates are of
// one kind are alike, and in a run of them it stands once.
type kind struct {
	before uint64
	prefix uint8 // bits
}

// kinds are those of the present tick, numbered from 1. What finds no number is like
// nothing else.
type kinds struct {
	list []kind
	more map[kind]uint16 // those of the list that are not searched for there
	last uint16          // number of the one that was asked for last: as a rule it is the next, too
}

const (
	// maxKinds is how many have a number.
	maxKinds = 1<<16 - 1
	// searched is among how many of the list one is searched for.
	searched = 1 << 5
	// maxPrefix bounds the bits that are compared to find groups alike.
	maxPrefix = 56
	// kindFlags is what every kind begins with: no references, alone.
	kindFlags = 2
)

func (k *kinds) reset() {
	clear(k.more)
	*k = kinds{list: k.list[:0], more: k.more}
}

// of returns the number of the kind that an update begins with, 0 if it has none.
func (k *kinds) of(begins uint64, prefix int) uint16 {
	if prefix > maxPrefix {
		return 0
	}
	is := kind{begins & (1<<prefix - 1), uint8(prefix)}
	if k.last > 0 && k.list[k.last-1] == is {
		return k.last
	}
	if number := k.find(is); number > 0 {
		k.last = number
		return number
	}
	if len(k.list) == maxKinds {
		return 0
	}
	return k.add(is)
}

// find returns the number of a kind that has one, else 0.
func (k *kinds) find(is kind) uint16 {
	for i := range k.list[:min(len(k.list), searched)] {
		if k.list[i] == is {
			return uint16(i + 1)
		}
	}
	return k.more[is]
}

// add gives a kind the next number.
func (k *kinds) add(is kind) uint16 {
	k.list = append(k.list, is)
	k.last = uint16(len(k.list))
	if len(k.list) > searched {
		if k.more == nil {
			k.more = map[kind]uint16{}
		}
		k.more[is] = k.last
	}
	return k.last
}

// prefix returns how many bits stand before the values of a kind.
func (k *kinds) prefix(number uint16) uint8 { return k.list[number-1].prefix }

// appendSet writes the components of a kind.
func (k *kinds) appendSet(w *bits.Writer, number uint16) {
	is := &k.list[number-1]
	w.Bits(is.before>>kindFlags, uint(is.prefix)-kindFlags)
}

// kindNumbers are what a plan calls the kinds of its records: so many as a byte tells apart,
// numbered as they come. What the peer does not see changes none of them.
type kindNumbers struct {
	last   uint16 // the one that was asked for last,
	number uint8  // and its number
	n      uint8
	list   [math.MaxUint8]uint16 // by number, from 1
}

func (n *kindNumbers) reset() { n.last, n.number, n.n = 0, 0, 0 }

// of returns the plan's number of a kind: 0 if it has none, or is one beyond those that the
// plan tells apart.
func (n *kindNumbers) of(kind uint16) uint8 {
	if kind == n.last {
		return n.number
	}
	return n.find(kind)
}

func (n *kindNumbers) find(kind uint16) uint8 {
	at := slices.Index(n.list[:n.n], kind)
	if kind == 0 || at < 0 && int(n.n) == len(n.list) {
		return 0
	}
	if at < 0 {
		at = int(n.n)
		n.list[at] = kind
		n.n++
	}
	n.last, n.number = kind, uint8(at+1)
	return n.number
}

// kind returns the kind of a record that has one.
func (p *Peer) kind(rec *planned) uint16 { return p.kinds.list[rec.kind-1] }

// prefix returns how many bits stand before the values of a record that has a kind.
func (p *Peer) prefix(rec *planned) uint8 { return p.world.kinds.prefix(p.kind(rec)) }
