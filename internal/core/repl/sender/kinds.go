package sender

import (
	"math"
	"slices"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// kind is the prefix of an update of one entity, before its values: no references, alone, and the
// components that follow. Groups with updates of one kind are alike, and a run of them has the
// prefix once.
type kind struct {
	before uint64
	prefix uint8 // bits
}

// kinds are the kinds of the present tick, numbered from 1. An update without a number is like no
// other.
type kinds struct {
	list []kind
	more map[kind]uint16 // those of the list that are beyond the linear search
	last uint16          // number returned last: usually it is the next, too
}

const (
	// maxKinds is the largest number of kinds.
	maxKinds = 1<<16 - 1
	// searched is the number of list entries that are searched linearly.
	searched = 1 << 5
	// maxPrefix bounds the bits that are compared to find groups alike.
	maxPrefix = 56
	// kindFlags is the bits with which every kind begins: no references, alone.
	kindFlags = 2
)

func (k *kinds) reset() {
	clear(k.more)
	*k = kinds{list: k.list[:0], more: k.more}
}

// of returns the number of the kind with which an update begins, or 0.
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
	return k.assignNumber(is)
}

// find returns the number of a kind, or 0 if it has none.
func (k *kinds) find(is kind) uint16 {
	for i := range k.list[:min(len(k.list), searched)] {
		if k.list[i] == is {
			return uint16(i + 1)
		}
	}
	return k.more[is]
}

// assignNumber gives a kind the next number.
func (k *kinds) assignNumber(is kind) uint16 {
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

// prefix returns the number of bits before the values of a kind.
func (k *kinds) prefix(number uint16) uint8 { return k.list[number-1].prefix }

// appendSet writes the components of a kind.
func (k *kinds) appendSet(w *bits.Writer, number uint16) {
	is := &k.list[number-1]
	w.Bits(is.before>>kindFlags, uint(is.prefix)-kindFlags)
}

// kindNumbers maps the kinds of a plan's records to bytes, in order of appearance. Groups that the
// peer does not see change none of them.
type kindNumbers struct {
	last   uint16 // the last kind looked up,
	number uint8  // and its number
	n      uint8
	list   [math.MaxUint8]uint16 // by number, from 1
}

func (n *kindNumbers) reset() { n.last, n.number, n.n = 0, 0, 0 }

// of returns the plan's number of a kind: 0 if it has none, or if the plan has no number left for
// it.
func (n *kindNumbers) of(kind uint16) uint8 {
	if kind == n.last {
		return n.number
	}
	return n.numberOf(kind)
}

func (n *kindNumbers) numberOf(kind uint16) uint8 {
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

// prefix returns the number of bits before the values of a record that has a kind.
func (p *Peer) prefix(rec *planned) uint8 { return p.world.kinds.prefix(p.kind(rec)) }
