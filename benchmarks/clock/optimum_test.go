package clock

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
)

// clockTick is the length of a server's tick in clockRecorded.
const clockTick = time.Second / workload.TickRate

// clockRecorded is a record of a minute in which the server runs one tick per frame, and the client
// sends half a tick after each of the server's frames. delay returns the travel time of each
// packet; 0 stands for a lost one.
func clockRecorded(delay func(i int) time.Duration) *clockRecord {
	r := &clockRecord{}
	for i := range 60 * workload.TickRate {
		at := time.Duration(i+1) * clockTick
		r.servers = append(r.servers, clockServerFrame{at: at, next: entangle.Tick(100 + i), clock: float64(100 + i)})
		at += clockTick / 2
		r.clients = append(r.clients, clockClientFrame{at: at, server: float64(100+i) + 0.5})
		w := clockWay{sent: at}
		if d := delay(i); d > 0 {
			w.arrived = at + d
		}
		r.ways = append(r.ways, w)
	}
	return r
}

// A packet that takes a quarter of a tick arrives between the frames of ticks N and N+1. Its newest
// input has to be for N+1, and it is sent half a tick after N.
func TestOptimumOfAConstantDelay(t *testing.T) {
	for ticks, want := range map[float64]float64{0.25: 0.5, 0.75: 1.5, 3.25: 3.5, 10.75: 11.5} {
		r := clockRecorded(func(int) time.Duration { return time.Duration(ticks * float64(clockTick)) })
		assert.Equal(t, want, r.replay(time.Second, time.Minute).optimum(), "a delay of %v ticks", ticks)
	}
}

// The inputs of a lost packet arrive with the next packet, a tick later.
func TestOptimumOfALossyWay(t *testing.T) {
	one := clockRecorded(func(i int) time.Duration {
		if i%50 == 0 {
			return 0
		}
		return clockTick / 4
	})
	p := one.replay(time.Second, time.Minute)
	assert.Equal(t, 1.5, p.optimum())
	assert.InDelta(t, 0.98, p.share(1.25), 0.001)
	rare := clockRecorded(func(i int) time.Duration {
		if i%1500 == 0 {
			return 0
		}
		return clockTick / 4
	})
	assert.Equal(t, 0.5, rare.replay(time.Second, time.Minute).optimum(), "one in a thousand may be late")
}

// The share equals one that is counted input by input. An input is in time if a packet with it
// reaches a frame before its tick.
func TestShareIsThatOfThePlainCount(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, seed))
	r := clockRecorded(func(int) time.Duration {
		if rng.IntN(10) == 0 {
			return 0
		}
		return time.Duration(rng.Int64N(int64(6 * clockTick)))
	})
	p := r.replay(time.Second, time.Minute)
	last := 0.0
	for lead := -1.0; lead < 10; lead += 0.25 {
		share := p.share(lead)
		assert.InDelta(t, plainShare(p, lead), share, 1e-12, "lead %v, seed %d", lead, seed)
		assert.GreaterOrEqual(t, share, last-1e-3)
		last = share
	}
	assert.Equal(t, 1.0, last)
}

func plainShare(p *clockReplay, lead float64) float64 {
	in := 0
	for tick := p.first; tick < p.last; tick++ {
		for _, s := range p.sends {
			newest := entangle.Tick(s.server + lead)
			if s.next != 0 && s.next <= tick && newest >= tick && newest-tick < clockRedundancy {
				in++
				break
			}
		}
	}
	return float64(in) / float64(p.last-p.first)
}
