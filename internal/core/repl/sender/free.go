package sender

import "github.com/entangle-ecs/entangle/internal/core/repl"

// freeHandle is a handle that no group has, of the peer's own space less repl.Private, and the
// generation that the next group under it gets.
type freeHandle struct {
	handle     repl.Handle
	generation repl.Generation
}

// freeHandles gives handles out again, the longest free first.
type freeHandles struct{ list ring[freeHandle] }

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
	if f.list.items == nil {
		f.list.reserve(usualFree)
	}
	f.list.push(h)
}

func (f *freeHandles) take() (h freeHandle, ok bool) {
	if f.list.n == 0 {
		return h, false
	}
	h = *f.list.at(0)
	f.list.drop(1)
	return h, true
}
