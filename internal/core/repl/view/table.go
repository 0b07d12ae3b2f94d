// Package view holds what peers may see of groups, each different view once. A view leaves out members of a
// group, or components of them.
package view

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
)

// ID is a view: all of a group, which is the zero ID, or all but something that is hidden.
type ID uint16

// Max bounds the different views that are in use at a time.
const Max = 1 << 15

// Hidden is what a view leaves out of one entity: some components, or the entity.
type Hidden struct {
	Slot  repl.Slot
	Whole bool
	Comps set.Mask
}

// Part is what a view leaves out of one member of a group, by its number there: so views of different
// groups are one view where they hide the same.
type Part struct {
	Number repl.Member
	Whole  bool
	Comps  set.Mask
}

// Table holds every view once, however many peers have it.
type Table struct {
	list   []view // ID 1 is the first
	unused []ID
	byHash map[uint64]ID // the last one made of each
	// Scratch is for parts that a caller puts together. Intern does not keep it.
	Scratch []Part
}

type view struct {
	parts []Part // by rising number; empty: not in use
	hash  uint64
	next  ID // of the same hash
	users int32
}

// Parts returns what a view hides.
func (v *Table) Parts(id ID) []Part {
	if id == 0 {
		return nil
	}
	return v.list[id-1].parts
}

// Intern returns the view that hides some parts, which are sorted by number. It is not ok when Max views are in
// use. A new view is forgotten at the next Use that counts no peer.
func (v *Table) Intern(parts []Part) (id ID, ok bool) {
	if len(parts) == 0 {
		return 0, true
	}
	hash := hashOf(parts)
	for id = v.byHash[hash]; id != 0; id = v.list[id-1].next {
		if slices.Equal(v.list[id-1].parts, parts) {
			return id, true
		}
	}
	if n := len(v.unused); n > 0 {
		id, v.unused = v.unused[n-1], v.unused[:n-1]
	} else if len(v.list) == Max {
		return 0, false
	} else {
		v.list = append(v.list, view{})
		id = ID(len(v.list))
	}
	if v.byHash == nil {
		v.byHash = map[uint64]ID{}
	}
	v.list[id-1] = view{parts: append(v.list[id-1].parts[:0], parts...), hash: hash, next: v.byHash[hash]}
	v.byHash[hash] = id
	return id, true
}

// hashOf is FNV-1a over the words of some parts.
func hashOf(parts []Part) uint64 {
	h := uint64(14695981039346656037)
	mix := func(word uint64) { h = (h ^ word) * 1099511628211 }
	for i := range parts {
		p := &parts[i]
		mix(uint64(p.Number))
		for _, word := range p.Comps {
			mix(word)
		}
	}
	return h
}

// Use adds n to the number of peers that have a view. A view that no peer has is forgotten.
func (v *Table) Use(id ID, n int32) {
	if id == 0 {
		return
	}
	of := &v.list[id-1]
	if of.users += n; of.users > 0 {
		return
	}
	v.unlink(id)
	*of = view{parts: of.parts[:0]} // its memory is used again
	v.unused = append(v.unused, id)
}

// unlink takes a view out of those of its hash.
func (v *Table) unlink(id ID) {
	of := &v.list[id-1]
	at := v.byHash[of.hash]
	if at == id {
		if v.byHash[of.hash] = of.next; of.next == 0 {
			delete(v.byHash, of.hash)
		}
		return
	}
	for v.list[at-1].next != id {
		at = v.list[at-1].next
	}
	v.list[at-1].next = of.next
}

// Hides returns what a view leaves out of a member.
func (v *Table) Hides(id ID, n repl.Member) (h Part, some bool) {
	parts := v.Parts(id)
	i, some := slices.BinarySearchFunc(parts, n, func(h Part, n repl.Member) int { return int(h.Number) - int(n) })
	if !some {
		return Part{}, false
	}
	return parts[i], true
}

func ByNumber(a, b Part) int { return int(a.Number) - int(b.Number) }

// AppendTo appends a part that hides something.
func (h Part) AppendTo(parts []Part) []Part {
	if h.Whole || !h.Comps.IsZero() {
		return append(parts, h)
	}
	return parts
}
