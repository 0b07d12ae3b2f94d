package timesync

import "math/bits"

// recentTicks is over how many ticks a quality is computed.
const recentTicks = 256

// recent records which of the last ticks had their input in time.
type recent struct {
	bits [recentTicks / 64]uint64
	next int
	n    int
}

func (r *recent) addTick(inTime bool) {
	word, bit := r.next/64, uint64(1)<<(r.next%64)
	r.bits[word] &^= bit
	if inTime {
		r.bits[word] |= bit
	}
	r.next = (r.next + 1) % recentTicks
	r.n = min(r.n+1, recentTicks)
}

// missed returns how many of the ticks were not in time.
func (r *recent) missed() int {
	in := 0
	for _, w := range r.bits {
		in += bits.OnesCount64(w)
	}
	return r.n - in
}

// Quality rates how well a player's input reaches the server.
type Quality uint8

// The qualities, by the share of the last 256 ticks with an input that arrived in time.
const (
	// Unknown: fewer than 64 ticks were judged.
	Unknown Quality = iota
	// Good: at most one tick in a hundred had no input of its own.
	Good
	// Fair: at most one in twenty. Other players begin to notice.
	Fair
	// Poor: more.
	Poor
)

// String returns the quality's name.
func (q Quality) String() string {
	return [...]string{"unknown", "good", "fair", "poor"}[min(q, Poor)]
}

func (r *recent) quality() Quality {
	missed := r.missed()
	switch {
	case r.n < recentTicks/4:
		return Unknown
	case missed*100 <= r.n:
		return Good
	case missed*20 <= r.n:
		return Fair
	}
	return Poor
}
