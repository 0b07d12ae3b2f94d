package input

import "github.com/entangle-ecs/entangle"

// Received tells which ticks of a stream in a frame were new.
type Received struct {
	Newest entangle.Tick // newest tick of the stream in the frame
	New    uint64        // bit k is set if tick Newest-k was received for the first time, and in time
	Late   uint64        // bit k is set if tick Newest-k was received for the first time, but had run
	Far    int           // number of ticks outside of the window
}

func (b *Received) countOutcome(k int, o outcome) {
	switch o {
	case isNew:
		b.New |= 1 << k
	case isLate:
		b.Late |= 1 << k
	case isFar:
		b.Far++
	}
}
