package conditioner

import (
	"math/rand/v2"
	"time"
)

// chance draws what happens to datagrams. Every datagram takes the same number of draws
// whatever happens to it, so that changing one field of a Config does not change the
// effects of the others.
type chance struct {
	source *rand.Rand
	bad    bool // true during a burst of losses
}

func newChance(seed uint64) chance {
	// use is the second half of the generator's state. Because of it, a game that seeds its own
	// generator with the same number draws other values.
	const use = 0x636f6e646974696f
	return chance{source: rand.New(rand.NewPCG(seed, use))}
}

// fate is the drawn effect on one datagram.
type fate struct {
	lost, twice bool
	copies      [2]delayDraw
}

// delayDraw holds the random numbers that decide the delay of one copy.
type delayDraw struct {
	jitter float64 // -1 to 1
	held   bool
}

func (c *chance) drawFate(cfg *Config) fate {
	f := fate{lost: c.loses(cfg), twice: c.happens(cfg.Duplicate)}
	for i := range f.copies {
		f.copies[i] = delayDraw{jitter: 2*c.source.Float64() - 1, held: c.happens(cfg.Reorder)}
	}
	return f
}

func (c *chance) happens(share float64) bool { return c.source.Float64() < share }

// loses advances the two-state model of the link by one datagram, and reports whether this datagram
// is lost. The probability of leaving a state is one over its mean length, and the shares of both
// states add up to 1: mean length of the good state = LossBurst * (1-Loss)/Loss.
func (c *chance) loses(cfg *Config) bool {
	roll := c.source.Float64()
	if cfg.LossBurst <= 1 {
		return roll < cfg.Loss
	}
	if c.bad {
		c.bad = roll >= 1/cfg.LossBurst
	} else {
		c.bad = roll < cfg.Loss/((1-cfg.Loss)*cfg.LossBurst)
	}
	return c.bad
}

// delay returns how long one copy travels after it has passed the bandwidth limit.
// Config.ReorderDelay is not included.
func (d delayDraw) delay(cfg *Config) time.Duration {
	return max(0, cfg.Latency+time.Duration(d.jitter*float64(cfg.Jitter)))
}
