package conditioner

import (
	"cmp"
	"fmt"
	"math"
	"time"
)

const (
	// DefaultReorderDelay holds a datagram back for three frames at 60 Hz, long enough
	// for later ones to overtake it.
	DefaultReorderDelay = 50 * time.Millisecond

	// DefaultBacklog is how many bytes may queue for the bandwidth: as many as the buffer of a
	// small router holds.
	DefaultBacklog = 64 << 10

	// DefaultLimit is how many datagrams a Link holds: two seconds of 2,000
	// datagrams per second, in 4.7 MB.
	DefaultLimit = 4096

	// maxDelay bounds every duration of a Config. A longer one is an error.
	maxDelay = time.Hour
)

// Config describes one direction of a link. Its zero value delivers every datagram at
// once and unchanged.
//
// What happens to a datagram is decided when it is pushed, in the order of the fields: it
// is lost or not; then it queues for the bandwidth; then each copy gets a delay of its
// own.
type Config struct {
	// Loss is the share of datagrams that never arrive, 0 to 1.
	Loss float64

	// LossBurst is the mean number of datagrams lost in a row, as in Gilbert's model: a link is
	// good or bad, and every datagram is lost while it is bad. Loss remains the overall share. With
	// 0 or 1, losses are independent. With bursts, Loss must be at most LossBurst/(LossBurst+1);
	// otherwise the link would be good for less than one datagram on average.
	LossBurst float64

	// Duplicate is the share of the delivered datagrams that arrive twice.
	Duplicate float64

	// Bandwidth is the throughput in bytes of datagrams per second, without headers. 0 means no
	// limit.
	Bandwidth int

	// Backlog is how many bytes may queue for the bandwidth. A datagram beyond that is dropped. 0:
	// DefaultBacklog.
	Backlog int

	// Latency is the delay in this direction; the round trip takes the sum of both.
	Latency time.Duration

	// Jitter is added to Latency, drawn uniformly from -Jitter to +Jitter for each copy; a
	// sum below zero counts as zero. A datagram may therefore overtake others, unless
	// InOrder is set.
	Jitter time.Duration

	// InOrder keeps the jitter from reordering: a copy is never due before one
	// that was pushed earlier, as in a queue of varying length.
	InOrder bool

	// Reorder is the share of copies to which ReorderDelay is added, so that other datagrams
	// overtake them, even with InOrder.
	Reorder float64

	// ReorderDelay is the additional delay of the copies that Reorder selects. 0:
	// DefaultReorderDelay.
	ReorderDelay time.Duration

	// Limit is how many datagrams are in flight at most; further ones are dropped.
	// 0: DefaultLimit.
	Limit int
}

// resolve fills in defaults. Its error names the first invalid field.
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
	c.ReorderDelay = cmp.Or(c.ReorderDelay, DefaultReorderDelay)
	c.Backlog = cmp.Or(c.Backlog, DefaultBacklog)
	c.Limit = cmp.Or(c.Limit, DefaultLimit)
	return c
}
