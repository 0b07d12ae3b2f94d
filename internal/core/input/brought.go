package input

import "github.com/entangle-ecs/entangle"

// Brought is what the lane of a frame brought.
type Brought struct {
	Newest entangle.Tick // of the lane in the frame
	New    uint64        // bit k: that of tick Newest-k had not come before, and is in time
	Late   uint64        // bit k: likewise, but the tick has run
	Far    int           // ticks outside of the window
}

func (b *Brought) add(k int, o outcome) {
	switch o {
	case isNew:
		b.New |= 1 << k
	case isLate:
		b.Late |= 1 << k
	case isFar:
		b.Far++
	}
}
