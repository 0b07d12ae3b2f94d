package input

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
)

// ScreenList returns the screens of a frame, the newest first, and the tick of the newest.
func (f *Frame) ScreenList() (entangle.Tick, []timesync.Screen) {
	return f.screens.newest, f.screens.of[:f.screens.n]
}

// Back returns for how many ticks before the last one a stream keeps inputs.
func (r *Reader) Back() int { return int(r.back) }
