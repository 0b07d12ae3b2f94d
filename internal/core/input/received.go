package input

import "github.com/entangle-ecs/entangle"

// Received reports which ticks of a frame's stream were new.
type Received struct {
	Newest entangle.Tick // newest tick of the stream in the frame
	New    uint64        // bit k: tick Newest-k was received for the first time, and in time
	Late   uint64        // bit k: received for the first time, but the tick has run
	Far    int           // ticks outside of the window
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
