package packet

import (
	"errors"
	"time"
)

// Limits that both ends share.
const (
	// WindowSize is how many ids one header acknowledges: the newest and 32 bits.
	WindowSize = 33

	// AckEvery is how many received ids may be unacknowledged before AckDue: half the
	// window, so that one lost acknowledgement leaves no id without a verdict.
	AckEvery = 16

	// MaxInFlight is how many ids may be in flight: 17 s at 60 packets per second, and more
	// than the packets of a full reliable window.
	MaxInFlight = 1024

	// LossMax is the longest time after which a packet counts as lost, unless two of the
	// shortest recent round trips are longer.
	LossMax = time.Second

	// MaxBadAcks is how many acknowledgements of ids that were never sent a peer may send
	// before ErrBadAcks. An honest peer sends none.
	MaxBadAcks = 16
)

// Config configures a Tracker. The zero value is suitable for games.
type Config struct {
	// AckDelay is how long a received packet may stay unacknowledged before AckDue returns
	// true. 0 means DefaultAckDelay, negative means no delay.
	AckDelay time.Duration

	// LossMin is the shortest time after which a packet counts as lost.
	// 0 means DefaultLossMin, negative means no minimum.
	LossMin time.Duration

	// LossFactor times the smoothed round trip, plus four times its variation, is the time
	// after which a packet counts as lost, up to LossMax. 0 means DefaultLossFactor; any
	// other value must be at least 1.
	LossFactor float64

	// InitialRTT is the assumed round trip before the first sample. 0 means
	// DefaultInitialRTT, negative is an error.
	InitialRTT time.Duration
}

// Defaults of Config.
const (
	// DefaultAckDelay is longer than one tick at 60 Hz: an end that sends in every tick
	// never needs a separate packet for acknowledgements.
	DefaultAckDelay = 25 * time.Millisecond
	// DefaultLossMin leaves room for the peer's AckDelay and a few ticks.
	DefaultLossMin = 100 * time.Millisecond
	// DefaultLossFactor tolerates a quarter more than the usual round trip, on top
	// of its variation.
	DefaultLossFactor = 1.25
	// DefaultInitialRTT is a slow but common round trip between continents.
	DefaultInitialRTT = 200 * time.Millisecond
)

// Errors of Config.Validate.
var (
	ErrLossFactor = errors.New("packet: Config.LossFactor must be 0 (default) or at least 1")
	ErrInitialRTT = errors.New("packet: Config.InitialRTT must not be negative")
)

// Validate returns an error that names the field which is out of range.
func (c Config) Validate() error {
	if c.LossFactor != 0 && !(c.LossFactor >= 1) {
		return ErrLossFactor
	}
	if c.InitialRTT < 0 {
		return ErrInitialRTT
	}
	return nil
}

func (c Config) withDefaults() Config {
	c.AckDelay = orDefault(c.AckDelay, DefaultAckDelay)
	c.LossMin = orDefault(c.LossMin, DefaultLossMin)
	c.InitialRTT = orDefault(c.InitialRTT, DefaultInitialRTT)
	if c.LossFactor == 0 {
		c.LossFactor = DefaultLossFactor
	}
	return c
}

func orDefault(d, byDefault time.Duration) time.Duration {
	if d == 0 {
		return byDefault
	}
	return max(d, 0)
}
