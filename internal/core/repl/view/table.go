// Package view stores views: which members of a group, and which of their components, are hidden from a peer.
//
// A [Table] stores equal views once, under one [ID]. Whether two peers get the same bytes of a group is then a
// comparison of two numbers. A view lists member numbers and not entities, so views of different groups that hide the
// same numbers are equal too. The table counts the peers that use a view, and frees views without users.
package view

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
)

// ID is a view in a table. The zero ID is the view that hides nothing.
type ID uint16

// Max is the largest number of different views in use at a time.
const Max = 1 << 15

// Hidden is what is hidden of one entity: the whole entity, or some of its components.
type Hidden struct {
	Slot  repl.Slot
	Whole bool
	Comps set.Mask // if not Whole
}

// HiddenMember is what a view hides of one member: the whole member, or some of its components.
type HiddenMember struct {
	Number repl.Member
	Whole  bool
	Comps  set.Mask // if not Whole
}

// Table stores views, equal ones once.
type Table struct {
	list   []view // by ID - 1
	unused []ID
	byHash map[uint64]ID // the newest view with each hash; view.next leads to the others
	// Scratch is memory in which callers build the argument of Intern, which copies it.
	Scratch []HiddenMember
}

type view struct {
	hidden []HiddenMember // by rising number; empty if the ID is unused
	hash   uint64
	next   ID    // an older view with the same hash; 0: none
	users  int32 // peers
}

// HiddenMembers returns what a view hides, by rising number.
func (v *Table) HiddenMembers(id ID) []HiddenMember {
	if id == 0 {
		return nil
	}
	return v.list[id-1].hidden
}

// Intern returns the view that hides some members or components of them, sorted by number. ok is false if the view is
// new and Max views are in use. A new view has no users yet: AddUsers frees it if it has none by then.
func (v *Table) Intern(hidden []HiddenMember) (id ID, ok bool) {
	if len(hidden) == 0 {
		return 0, true
	}
	hash := hashMembers(hidden)
	for id = v.byHash[hash]; id != 0; id = v.list[id-1].next {
		if slices.Equal(v.list[id-1].hidden, hidden) {
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
	v.list[id-1] = view{hidden: append(v.list[id-1].hidden[:0], hidden...), hash: hash, next: v.byHash[hash]}
	v.byHash[hash] = id
	return id, true
}

// hashMembers returns the FNV-1a hash of the numbers and components.
func hashMembers(hidden []HiddenMember) uint64 {
	h := uint64(14695981039346656037)
	mix := func(word uint64) { h = (h ^ word) * 1099511628211 }
	for i := range hidden {
		mix(uint64(hidden[i].Number))
		for _, word := range hidden[i].Comps {
			mix(word)
		}
	}
	return h
}

// AddUsers adds n to the number of peers that use a view, and frees the view if none is left.
func (v *Table) AddUsers(id ID, n int32) {
	if id == 0 {
		return
	}
	of := &v.list[id-1]
	if of.users += n; of.users > 0 {
		return
	}
	v.unlink(id)
	*of = view{hidden: of.hidden[:0]} // the next view with this ID reuses the memory
	v.unused = append(v.unused, id)
}

// unlink removes a view from the list of views with its hash.
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

// Hidden returns what a view hides of a member. some is false if it hides nothing of it.
func (v *Table) Hidden(id ID, n repl.Member) (h HiddenMember, some bool) {
	hidden := v.HiddenMembers(id)
	i, some := slices.BinarySearchFunc(hidden, n, func(h HiddenMember, n repl.Member) int { return int(h.Number) - int(n) })
	if !some {
		return HiddenMember{}, false
	}
	return hidden[i], true
}

// HidesMember reports whether a view hides a whole member.
func (v *Table) HidesMember(id ID, n repl.Member) bool {
	if id == 0 {
		return false
	}
	h, _ := v.Hidden(id, n)
	return h.Whole
}

// CompareNumbers compares by number, for sorting.
func CompareNumbers(a, b HiddenMember) int { return int(a.Number) - int(b.Number) }

// AppendTo appends h to a list, unless h hides nothing.
func (h HiddenMember) AppendTo(hidden []HiddenMember) []HiddenMember {
	if h.Whole || !h.Comps.IsZero() {
		return append(hidden, h)
	}
	return hidden
}
