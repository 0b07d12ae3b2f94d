package main

import (
	"strings"
	"time"
)

const (
	// flowEvery is the interval at which the rate of a flow is computed.
	flowEvery = 500 * time.Millisecond

	// flowHistory is how many rates are kept: as many as a panel has columns.
	flowHistory = 160
)

// flow converts a growing number of bytes into rates in bytes per second.
type flow struct {
	rates []float64
	last  uint64
	since time.Time
}

// addSample records the number of bytes sent until a time.
func (f *flow) addSample(now time.Time, bytes uint64) {
	switch passed := now.Sub(f.since); {
	case f.since.IsZero():
		f.last, f.since = bytes, now
	case passed >= flowEvery:
		f.rates = append(f.rates, float64(bytes-f.last)/passed.Seconds())
		if len(f.rates) > flowHistory {
			f.rates = f.rates[1:]
		}
		f.last, f.since = bytes, now
	}
}

// rate returns the newest rate.
func (f *flow) rate() float64 {
	if len(f.rates) == 0 {
		return 0
	}
	return f.rates[len(f.rates)-1]
}

// history returns the last n rates, with zeros before the first.
func (f *flow) history(n int) []float64 {
	rates := make([]float64, n)
	known := f.rates[max(0, len(f.rates)-n):]
	copy(rates[n-len(known):], known)
	return rates
}

// flows are the two directions of a side.
type flows struct{ sent, received flow }

// main returns the flow in the direction that carries the world: on a server, the sent bytes.
func (f *flows) main(side int) *flow {
	if side == 0 {
		return &f.sent
	}
	return &f.received
}

// spark draws values as a line of bars.
func spark(values []float64) string {
	const bars = " ▁▂▃▄▅▆▇█"
	steps := []rune(bars)
	most := 1.0
	for _, v := range values {
		most = max(most, v)
	}
	var text strings.Builder
	for _, v := range values {
		text.WriteRune(steps[int(v/most*float64(len(steps)-1))])
	}
	return text.String()
}
