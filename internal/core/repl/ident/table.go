package ident

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/ring"
)

// GroupIndex is the index of a group on this side. It is never sent: on the wire, a group has a handle.
type GroupIndex int32

// NoGroup stands for no group.
const NoGroup GroupIndex = -1

// Table allocates the handles of one space to groups. Handles in a table begin at 0: the private handle h of a table
// is repl.Private + h on the wire.
type Table struct {
	Groups      []GroupIndex // by handle; NoGroup for a free handle
	generations []repl.Generation
	free        ring.Queue[repl.Handle]
}

// Len returns the number of handles that were ever allocated: all handles are below it.
func (t *Table) Len() int { return len(t.Groups) }

// Reserve allocates memory for n more handles.
func (t *Table) Reserve(n int) {
	t.Groups, t.generations = slices.Grow(t.Groups, n), slices.Grow(t.generations, n)
}

// Allocate returns a handle for a group: the one that has been free for longest, or a new one if none is free. ok is
// false if repl.MaxGroups handles are in use.
func (t *Table) Allocate(g GroupIndex) (h int, ok bool) {
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

// freeCapacity is the initial capacity of the queue of free handles. Where groups come and go, the number of free
// handles rises now and then, and growing the queue in small steps would allocate each time.
const freeCapacity = 256

// Free makes a handle available to other groups. used means that a peer was sent the handle: only then does it get
// the next generation. So the generations that a peer receives reveal nothing about groups that it was not sent. A
// handle that was used under its last generation is never allocated again.
func (t *Table) Free(h int, used bool) {
	t.Groups[h] = NoGroup
	if used {
		if t.generations[h] == repl.MaxGeneration {
			return
		}
		t.generations[h]++
	}
	if t.free.Len() == 0 {
		t.free.Reserve(freeCapacity)
	}
	t.free.Push(repl.Handle(h))
}

// Generation returns the generation of a handle: of its group, or of its next group if the handle is free.
func (t *Table) Generation(h int) repl.Generation { return t.generations[h] }

// Find returns the group that now has a handle under a generation.
func (t *Table) Find(h int, generation repl.Generation) (g GroupIndex, ok bool) {
	if h >= len(t.Groups) || t.Groups[h] == NoGroup || t.generations[h] != generation {
		return NoGroup, false
	}
	return t.Groups[h], true
}
