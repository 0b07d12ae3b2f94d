package sender

import "github.com/entangle-ecs/entangle/protocol/bits"

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
	last uint8 // number of the one that was asked for last: as a rule it is the next, too
}

const (
	// maxKinds is how many have a number.
	maxKinds = 1<<8 - 1
	// maxPrefix bounds the bits that are compared to find groups alike.
	maxPrefix = 56
	// kindFlags is what every kind begins with: no references, alone.
	kindFlags = 2
)

func (k *kinds) reset() { *k = kinds{list: k.list[:0]} }

// of returns the number of the kind that an update begins with, 0 if it has none.
func (k *kinds) of(begins uint64, prefix int) uint8 {
	if prefix > maxPrefix {
		return 0
	}
	is := kind{begins & (1<<prefix - 1), uint8(prefix)}
	if k.last > 0 && k.list[k.last-1] == is {
		return k.last
	}
	for i := range k.list {
		if k.list[i] == is {
			k.last = uint8(i + 1)
			return k.last
		}
	}
	if len(k.list) == maxKinds {
		return 0
	}
	k.list = append(k.list, is)
	k.last = uint8(len(k.list))
	return k.last
}

// prefix returns how many bits stand before the values of a kind.
func (k *kinds) prefix(number uint8) uint8 { return k.list[number-1].prefix }

// appendSet writes the components of a kind.
func (k *kinds) appendSet(w *bits.Writer, number uint8) {
	is := &k.list[number-1]
	w.Bits(is.before>>kindFlags, uint(is.prefix)-kindFlags)
}
