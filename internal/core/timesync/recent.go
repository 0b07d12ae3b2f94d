package timesync

import "math/bits"

// recentTicks is the number of ticks from which a quality is computed.
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

// missed returns how many of the recorded ticks did not have their input in time.
func (r *recent) missed() int {
	in := 0
	for _, w := range r.bits {
		in += bits.OnesCount64(w)
	}
	return r.n - in
}

// Quality rates how well a player's input reaches the server.
type Quality uint8

// The qualities, by how many of the last 256 ticks had their input in time.
const (
	// Unknown means that fewer than 64 ticks were recorded.
	Unknown Quality = iota
	// Good means that at most one tick in a hundred had no input in time.
	Good
	// Fair means that at most one tick in twenty had no input in time. Other players begin to
	// notice.
	Fair
	// Poor means that more than one tick in twenty had no input in time.
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
