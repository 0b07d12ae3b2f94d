package timesync_test

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/entangle-ecs/entangle/internal/core/timesync"
)

// figures summarise a part of a run.
type figures struct {
	inTime    float64 // share of the ticks
	lead      float64 // mean, in ticks
	most      float64 // greatest, in ticks
	best      float64 // the least constant lead that would have sufficed
	seen      float64 // share of frames with a snapshot after the shown time
	behind    float64 // mean difference between the server's time and the shown time
	least     float64 // the least constant difference with a snapshot in all but starvedShare of the frames
	steers    int     // how often the clock began to be steered
	reversals int     // how often it began in another direction than the last time
	jumps     int
	fastest   timesync.Speed // the greatest difference from normal speed
}

func (n *network) figures(from, to time.Duration) figures {
	var f figures
	ticks, had := 0, 0
	for _, r := range n.ran {
		if r.at >= from && r.at < to {
			ticks++
			if r.had {
				had++
			}
		}
	}
	f.inTime = float64(had) / float64(max(ticks, 1))
	f.best = n.best(from, to)
	n.follow(&f, from, to)
	return f
}

func (n *network) follow(f *figures, from, to time.Duration) {
	frames, seen, direction := 0, 0, timesync.Speed(0)
	var needed []float64
	before := timesync.Normal
	f.most = math.Inf(-1)
	for _, m := range n.moments {
		if m.at < from || m.at >= to {
			continue
		}
		frames++
		f.lead += m.lead
		f.most = max(f.most, m.lead)
		f.behind += m.server - m.shown
		if m.shown <= m.newest {
			seen++
		}
		needed = append(needed, m.server-m.newest)
		if m.jump != 0 {
			f.jumps++
		}
		f.fastest = max(f.fastest, m.speed-timesync.Normal, timesync.Normal-m.speed)
		if m.speed != timesync.Normal && before == timesync.Normal {
			f.steers++
			now := m.speed - timesync.Normal
			if now*direction < 0 {
				f.reversals++
			}
			direction = now
		}
		before = m.speed
	}
	f.lead /= float64(max(frames, 1))
	f.behind /= float64(max(frames, 1))
	f.seen = float64(seen) / float64(max(frames, 1))
	if slices.Sort(needed); frames > 0 {
		f.least = needed[int(float64(frames)*(1-starvedShare))]
	}
}

// starvedShare is the share of frames in which a moving entity may have no snapshot after the shown
// time.
const starvedShare = 0.005

// enough is the required share of ticks with an input in time.
const enough = 0.999

// best returns the least constant lead, in steps of an eighth of a tick, with which enough inputs
// would have been in time, if each packet had the same fate and inputs were repeated as often.
func (n *network) best(from, to time.Duration) float64 {
	low, high := -64*8, 256*8
	for low < high {
		middle := low + (high-low)/2
		if n.shareAt(float64(middle)/8, from, to) >= enough {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return float64(low) / 8
}

// shareAt returns the share of input ticks that would have been in time with a constant lead.
func (n *network) shareAt(lead float64, from, to time.Duration) float64 {
	base := math.Floor(n.moments[0].server) - 128
	size := int(n.moments[len(n.moments)-1].server-base) + 512
	came := make([]bool, size)
	last, before := -1, 0
	in, all := 0, 0
	var first, end int
	for _, m := range n.moments {
		newest := int(math.Floor(m.server + lead - base))
		if last < 0 {
			before = newest
		}
		last = newest
		if m.at < from {
			first = newest + 1
		}
		if m.at < to {
			end = newest
		}
		if newest <= before {
			continue
		}
		before = newest
		if !m.came {
			continue
		}
		next := m.next - int(base)
		for tick := max(newest-n.repeat+1, next, 0); tick <= newest && tick < size; tick++ {
			came[tick] = true
		}
	}
	for tick := first; tick <= end; tick++ {
		all++
		if came[tick] {
			in++
		}
	}
	return float64(in) / float64(max(all, 1))
}

func (f figures) String() string {
	return fmt.Sprintf("in time %.3f %%, lead %.2f (best %.2f: %+.2f, most %.2f), snapshots %.2f %%, shown %.2f behind (least %.2f), steered %d times, %d reversals, %d jumps",
		f.inTime*100, f.lead, f.best, f.lead-f.best, f.most, f.seen*100, f.behind, f.least, f.steers, f.reversals, f.jumps)
}
