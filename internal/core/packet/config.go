package packet

import (
	"cmp"
	"errors"
	"time"
)

// Limits that both ends share.
const (
	// WindowSize is how many ids one header can acknowledge: the newest, and one for each of 32
	// bits.
	WindowSize = 33

	// AckEvery is how many received ids may wait for their acknowledgement before AckDue returns
	// true. It is a third of WindowSize, so that the next two headers still acknowledge the same ids if
	// one is lost, or two.
	AckEvery = 11

	// MaxInFlight is how many ids may be in flight. It is 17 s at 60 packets per second, and more
	// than the packets that a full reliable window takes.
	MaxInFlight = 1024

	// LossMax is the longest time after which a packet counts as lost. Only if twice the recent
	// minimum of the time until an acknowledgement is longer does that time apply instead.
	LossMax = time.Second

	// MaxBadAcks is the number of acknowledgements of ids that were never sent after which
	// HandleHeader returns ErrBadAcks. An honest peer sends none.
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

	// LossFactor times the smoothed time until an acknowledgement, plus four times its variation and AckDelay, is
	// the time after which a packet counts as lost, within LossMin and LossMax. 0 means
	// DefaultLossFactor; any other value must be at least 1.
	LossFactor float64

	// InitialRTT is the assumed round trip before the first sample. 0 means
	// DefaultInitialRTT, negative is an error.
	InitialRTT time.Duration
}

// Defaults of Config.
const (
	// DefaultAckDelay is longer than one tick at 60 Hz, so that an end that sends a packet in every
	// tick never needs an ack-only packet.
	DefaultAckDelay = 25 * time.Millisecond
	// DefaultLossMin covers the peer's AckDelay and a few ticks.
	DefaultLossMin = 100 * time.Millisecond
	// DefaultLossFactor allows for a quarter more than the usual time until an acknowledgement, in
	// addition to its variation and AckDelay.
	DefaultLossFactor = 1.25
	// DefaultInitialRTT is a slow but common round trip between continents.
	DefaultInitialRTT = 200 * time.Millisecond
)

// Errors of Config.Validate.
var (
	ErrLossFactor = errors.New("packet: Config.LossFactor must be 0 (default) or at least 1")
	ErrInitialRTT = errors.New("packet: Config.InitialRTT must not be negative")
)

// Validate returns an error for a field that is out of range.
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
	c.LossFactor = cmp.Or(c.LossFactor, DefaultLossFactor)
	return c
}

func orDefault(d, byDefault time.Duration) time.Duration {
	if d == 0 {
		return byDefault
	}
	return max(d, 0)
}
