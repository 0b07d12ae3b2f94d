package channel

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/alloctest"
)

// TestSteadyStateAllocatesNothing sends small messages on every channel. One packet in five is
// lost; its content arrives two ticks late.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	a, b := pair(t, append(everyMode(), Config{ID: 9, Mode: OrderedReliable, ReportDelivery: true})...)
	body := make([]byte, 30)
	buf := make([]byte, 0, 2048)
	now, pkt := epoch, uint16(0)
	tick := func() {
		now, pkt = now.Add(time.Second/60), pkt+1
		for mode := OrderedReliable; mode < External; mode++ {
			_, _ = a.Send(ID(mode), body, 0, now)
			_, _ = a.Send(9, body[:7], 2, now)
		}
		out, _ := a.AppendFrames(buf[:0], fullRoom, pkt, now, testRTT)
		out, mark := a.BeginFrame(out, ID(External))
		out = a.Finish(a.EndFrame(append(out, body...), mark))
		a.HandleLost(pkt - 2) // of which only the lost ones are still known
		if pkt%5 == 0 {
			return
		}
		_ = b.HandleFrames(out, now)
		for _, _, ok := b.Poll(); ok; _, _, ok = b.Poll() {
		}
		a.HandleAcked(pkt)
		for _, _, ok := a.PollDelivered(); ok; _, _, ok = a.PollDelivered() {
		}
	}
	for range 500 {
		tick()
	}
	assert.Zero(t, alloctest.Count(500, tick))
	assert.LessOrEqual(t, a.Pending(), 20)
	assert.NotZero(t, a.Stats().Resent)
}

func BenchmarkTick(b *testing.B) {
	x, y := pair(b, everyMode()...)
	body := make([]byte, 30)
	buf := make([]byte, 0, 2048)
	now, pkt := epoch, uint16(0)
	b.ReportAllocs()
	for b.Loop() {
		now, pkt = now.Add(time.Second/60), pkt+1
		for range 4 {
			for mode := OrderedReliable; mode < External; mode++ {
				_, _ = x.Send(ID(mode), body, 0, now)
			}
		}
		out, _ := x.AppendFrames(buf[:0], fullRoom, pkt, now, testRTT)
		_ = y.HandleFrames(x.Finish(out), now)
		for _, _, ok := y.Poll(); ok; _, _, ok = y.Poll() {
		}
		x.HandleAcked(pkt)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/20, "ns/message")
}
