package clock

import (
	"math/rand/v2"
	"time"
)

// clockHost is a machine with a clock of its own. Its frames are a little late, like those of a
// loop that sleeps in between.
type clockHost struct {
	step  func(now time.Time)
	after func()
	drift float64       // how much faster its clock is than the true time
	every time.Duration // from frame to frame, by its own clock
	begin time.Duration // the time of its first frame

	frames int
	next   time.Duration
	chance *rand.Rand
}

// clockLate is the most by which a frame is late.
const clockLate = time.Millisecond

func newClockHost(rate int, drift float64, begin time.Duration, seed uint64) clockHost {
	every := (time.Second + time.Duration(rate) - 1) / time.Duration(rate)
	return clockHost{drift: drift, every: every, begin: begin, next: begin, chance: rand.New(rand.NewPCG(seed, 0))}
}

// now returns what its clock shows at a true time.
func (h *clockHost) now(at time.Duration) time.Time {
	return clockOrigin.Add(at + time.Duration(h.drift*float64(at)))
}

// runFrame runs a frame, and computes when the next one is due.
func (h *clockHost) runFrame() {
	h.step(h.now(h.next))
	h.after()
	for ran := h.next; h.next <= ran; {
		h.frames++
		own := time.Duration(h.frames)*h.every + time.Duration(h.chance.Int64N(int64(clockLate)))
		h.next = h.begin + time.Duration(float64(own)/(1+h.drift))
	}
}

// sleep keeps the machine from running a frame until the given time.
func (h *clockHost) sleep(until time.Duration) { h.next = max(h.next, until) }
