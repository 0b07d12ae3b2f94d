package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/ring"
)

// freeHandle is a handle that no group has, of the peer's own space less repl.Private, and the
// generation that the next group under it gets.
type freeHandle struct {
	handle     repl.Handle
	generation repl.Generation
}

// freeHandles gives handles out again, the longest free first.
type freeHandles struct{ list ring.Queue[freeHandle] }

// usualFree is for how many handles there is room at once.
const usualFree = 256

// put takes a handle back with the generation that it had. It gets the next one if it was used: if a
// peer was sent it. A handle that had all generations is not given out again.
func (f *freeHandles) put(h freeHandle, used bool) {
	if used {
		if h.generation == repl.MaxGeneration {
			return
		}
		h.generation++
	}
	if f.list.Len() == 0 {
		f.list.Reserve(usualFree)
	}
	f.list.Push(h)
}

func (f *freeHandles) take() (h freeHandle, ok bool) {
	if f.list.Len() == 0 {
		return h, false
	}
	h = *f.list.At(0)
	f.list.Drop(1)
	return h, true
}
