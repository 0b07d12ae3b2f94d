package ident

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/ring"
)

// Group is the number of a group on this side. It never travels: peers know a group by a handle.
type Group int32

// NoGroup stands for no group.
const NoGroup Group = -1

// Table gives the handles of one space to groups. Its handles are numbers from 0 on: private ones are less
// than those on the wire by repl.Private.
type Table struct {
	Groups      []Group // by handle; NoGroup: it is free
	generations []repl.Generation
	free        ring.Queue[repl.Handle]
}

// Len returns the number of handles that were ever given out.
func (t *Table) Len() int { return len(t.Groups) }

// Reserve makes room for n handles.
func (t *Table) Reserve(n int) {
	t.Groups, t.generations = slices.Grow(t.Groups, n), slices.Grow(t.generations, n)
}

// Take gives a handle to a group: the one that has been free for longest, or else a new one. It is not ok if
// repl.MaxGroups are in use.
func (t *Table) Take(g Group) (h int, ok bool) {
	if t.free.Len() > 0 {
		h = int(*t.free.At(0))
		t.free.Drop(1)
		t.Groups[h] = g
		return h, true
	}
	if len(t.Groups) == repl.MaxGroups {
		return 0, false
	}
	t.Groups, t.generations = append(t.Groups, g), append(t.generations, 0)
	return len(t.Groups) - 1, true
}

// usualFree is for how many free handles there is room at once: where groups come and go, their number rises
// now and then, and that should not allocate.
const usualFree = 256

// Free takes a handle back. It gets the next generation if it was used: if a peer was sent it. So the
// generations at a peer reveal nothing of groups that it was not sent. A handle that was used under all
// generations is not given out again.
func (t *Table) Free(h int, used bool) {
	t.Groups[h] = NoGroup
	if used {
		if t.generations[h] == repl.MaxGeneration {
			return
		}
		t.generations[h]++
	}
	if t.free.Len() == 0 {
		t.free.Reserve(usualFree)
	}
	t.free.Push(repl.Handle(h))
}

// Generation returns the generation of a handle, or, if it is free, that of the next group under it.
func (t *Table) Generation(h int) repl.Generation { return t.generations[h] }

// Find returns the group that has a handle under a generation.
func (t *Table) Find(h int, generation repl.Generation) (g Group, ok bool) {
	if h >= len(t.Groups) || t.Groups[h] == NoGroup || t.generations[h] != generation {
		return NoGroup, false
	}
	return t.Groups[h], true
}
