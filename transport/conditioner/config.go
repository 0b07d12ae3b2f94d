package conditioner

import (
	"fmt"
	"math"
	"time"
)

const (
	// DefaultReorderDelay holds a datagram back for three frames at 60 Hz, so
	// that others overtake it.
	DefaultReorderDelay = 50 * time.Millisecond

	// DefaultBacklog is what waits for the bandwidth, in bytes: the buffer of a
	// small router.
	DefaultBacklog = 64 << 10

	// DefaultLimit is how many datagrams a Link holds: two seconds of 2,000
	// datagrams per second, in 4.7 MB.
	DefaultLimit = 4096

	// maxDelay bounds every duration of a Config. A longer one is a mistake.
	maxDelay = time.Hour
)

// Config is how one direction of a link behaves. Its zero value passes
// everything on at once and unharmed.
//
// What happens to a datagram is decided when it is pushed, in the order of the
// fields: it is lost or not; what is left queues for the bandwidth; then each
// copy gets a delay of its own.
type Config struct {
	// Loss is the share of datagrams that never arrive, 0 to 1.
	Loss float64

	// LossBurst is how many datagrams in a row are lost on average, as in the
	// model of Gilbert: a link is good or bad, and all is lost while it is bad.
	// Loss stays the share of all. 0 or 1: each datagram for itself. With
	// bursts, Loss is at most LossBurst/(LossBurst+1), or good times would have
	// to be shorter than one datagram.
	LossBurst float64

	// Duplicate is the share of datagrams, of those not lost, that arrive twice.
	Duplicate float64

	// Bandwidth is how much gets through, in bytes per second of datagrams
	// without headers. 0: no limit.
	Bandwidth int

	// Backlog is how many bytes may wait for the bandwidth; a datagram beyond
	// it is dropped. 0: DefaultBacklog.
	Backlog int

	// Latency is the way in one direction; the round trip is that of both.
	Latency time.Duration

	// Jitter is added to Latency, evenly drawn from -Jitter to +Jitter for each
	// copy; a sum below zero counts as zero. A datagram may so overtake others,
	// unless InOrder is set.
	Jitter time.Duration

	// InOrder keeps the jitter from reordering: a copy is never due before one
	// that was pushed earlier, as in a queue whose length varies.
	InOrder bool

	// Reorder is the share of copies that are held back by ReorderDelay more, so
	// that others overtake them, also with InOrder.
	Reorder float64

	// ReorderDelay is how long. 0: DefaultReorderDelay.
	ReorderDelay time.Duration

	// Limit is how many datagrams are on the way at most; one beyond it is
	// dropped. 0: DefaultLimit.
	Limit int
}

// resolve puts defaults in and names the first field that cannot be.
func (c Config) resolve() (Config, error) {
	for _, f := range []struct {
		name  string
		value float64
	}{{"Loss", c.Loss}, {"Duplicate", c.Duplicate}, {"Reorder", c.Reorder}} {
		if !(f.value >= 0 && f.value <= 1) {
			return c, fmt.Errorf("conditioner: Config.%s is %v; give a share from 0 to 1", f.name, f.value)
		}
	}
	for _, f := range []struct {
		name  string
		value time.Duration
	}{{"Latency", c.Latency}, {"Jitter", c.Jitter}, {"ReorderDelay", c.ReorderDelay}} {
		if f.value < 0 || f.value > maxDelay {
			return c, fmt.Errorf("conditioner: Config.%s is %v; give a duration from 0 to %v", f.name, f.value, maxDelay)
		}
	}
	for _, f := range []struct {
		name  string
		value int
	}{{"Bandwidth", c.Bandwidth}, {"Backlog", c.Backlog}, {"Limit", c.Limit}} {
		if f.value < 0 || f.value > math.MaxInt32 {
			return c, fmt.Errorf("conditioner: Config.%s is %d; give 0 for the default, or up to %d", f.name, f.value, math.MaxInt32)
		}
	}
	if err := c.checkBurst(); err != nil {
		return c, err
	}
	return c.withDefaults(), nil
}

func (c Config) checkBurst() error {
	if !(c.LossBurst >= 0) || math.IsInf(c.LossBurst, 0) {
		return fmt.Errorf("conditioner: Config.LossBurst is %v; give the mean number of datagrams lost in a row, or 0", c.LossBurst)
	}
	if most := c.LossBurst / (c.LossBurst + 1); c.LossBurst > 1 && c.Loss > most {
		return fmt.Errorf("conditioner: Config.Loss is %v; with LossBurst %v it can be %.3f at most: make bursts longer or losses fewer", c.Loss, c.LossBurst, most)
	}
	return nil
}

func (c Config) withDefaults() Config {
	if c.ReorderDelay == 0 {
		c.ReorderDelay = DefaultReorderDelay
	}
	if c.Backlog == 0 {
		c.Backlog = DefaultBacklog
	}
	if c.Limit == 0 {
		c.Limit = DefaultLimit
	}
	return c
}
