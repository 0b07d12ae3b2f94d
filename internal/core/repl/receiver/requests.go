package receiver

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
)

// requests is the set of groups to be requested in full. A handle is in it once, however often its
// groups break: a hostile server makes it no larger than a bit for each handle of both spaces, 256
// KiB.
type requests struct {
	handles set.Bitset
	next    int // requests are polled by rising handle, from here on
}

func (s *requests) add(h repl.Handle) {
	s.handles.Grow(int(h) + 1)
	s.handles.Set(int(h))
}

// poll takes a handle out of the set.
func (s *requests) poll() (h repl.Handle, ok bool) {
	i := s.handles.Next(s.next)
	if i < 0 {
		i = s.handles.Next(0)
	}
	if i < 0 {
		return 0, false
	}
	s.handles.Clear(i)
	s.next = i + 1
	return repl.Handle(i), true
}
