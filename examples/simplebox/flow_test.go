package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestAFlowIsTheGrowthPerSecond(t *testing.T) {
	var f flow
	now := time.Unix(1, 0)
	assert.Zero(t, f.rate())
	f.addSample(now, 1000)
	f.addSample(now.Add(flowEvery/2), 1500) // too early for the next rate
	assert.Zero(t, f.rate())
	f.addSample(now.Add(flowEvery), 2000)
	assert.InDelta(t, 1000/flowEvery.Seconds(), f.rate(), 0.01)
	assert.Equal(t, []float64{0, 0, f.rate()}, f.history(3))
	for i := range uint64(2 * flowHistory) {
		f.addSample(now.Add(flowEvery*time.Duration(i+2)), 2000+i)
	}
	assert.Len(t, f.rates, flowHistory)
}

func TestSpark(t *testing.T) {
	assert.Equal(t, " ▄█", spark([]float64{0, 50, 100}))
	assert.Equal(t, "  ", spark([]float64{0, 0}))
}
