package packet

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/alloctest"
)

// epoch is the time at which every test begins.
var epoch = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

const ms = time.Millisecond

func after(d time.Duration) time.Time { return epoch.Add(d) }

// polledAcked returns a copy, because the tracker reuses its slice.
func polledAcked(t *Tracker) []uint16 { return append([]uint16(nil), t.TakeAcked()...) }

func polledLost(t *Tracker, now time.Time) (ids []uint16) {
	for id, ok := t.PollLost(now); ok; id, ok = t.PollLost(now) {
		ids = append(ids, id)
	}
	return ids
}

// sendData sends n data packets at epoch.
func sendData(t *Tracker, n int) {
	for range n {
		t.Next(epoch, 0, Data)
	}
}

// ack handles an ack-only header.
func ack(t testing.TB, tr *Tracker, newest uint16, bits uint32, now time.Time) {
	t.Helper()
	fresh, err := tr.HandleHeader(Header{Kind: AckOnly, Ack: newest, AckBits: bits}, now)
	require.NoError(t, err)
	assert.False(t, fresh)
}

// Proves: P2
func TestOneHeaderAcknowledges33Ids(t *testing.T) {
	sender, receiver := NewTracker(Config{}), NewTracker(Config{})
	var want []uint16
	for range 33 {
		h := sender.Next(epoch, 0, Data)
		fresh, err := receiver.HandleHeader(h, epoch)
		require.NoError(t, err)
		require.True(t, fresh)
		want = append(want, h.ID)
	}
	h := receiver.Next(epoch, 0, AckOnly)
	assert.Equal(t, uint16(33), h.Ack)
	assert.Equal(t, uint32(1<<32-1), h.AckBits)
	_, err := sender.HandleHeader(h, after(time.Millisecond))
	require.NoError(t, err)
	got := polledAcked(sender)
	slices.Sort(got)
	assert.Equal(t, want, got)
	assert.Empty(t, polledLost(sender, after(time.Hour)))
}

// Proves: P3
func TestLostOnceAfterTheTimeout(t *testing.T) {
	tr := NewTracker(Config{LossMin: 300 * time.Millisecond})
	sendData(tr, 2)
	ack(t, tr, 2, 0, after(40*time.Millisecond)) // smoothed 40 ms, variation 20 ms: the timeout of 155 ms is below the minimum
	assert.Equal(t, []uint16{2}, polledAcked(tr))
	assert.Empty(t, polledLost(tr, after(300*time.Millisecond-1)), "the minimum has not passed")
	assert.Equal(t, []uint16{1}, polledLost(tr, after(300*time.Millisecond)))
	assert.Empty(t, polledLost(tr, after(time.Hour)), "one verdict per id")
	assert.Equal(t, Stats{Sent: 2, Acked: 1, Lost: 1}, tr.Stats())
	assert.Zero(t, tr.InFlight())
}

// Proves: P3
func TestTimeoutFollowsTheRoundTrip(t *testing.T) {
	tr := NewTracker(Config{LossFactor: 2})
	sendData(tr, 2)
	ack(t, tr, 2, 0, after(100*time.Millisecond))
	assert.Equal(t, 100*time.Millisecond, tr.RTT())
	assert.Equal(t, 50*time.Millisecond, tr.Jitter())
	assert.Empty(t, polledLost(tr, after(425*time.Millisecond-1)), "2 x 100 ms + 4 x 50 ms, and 25 ms for a header that is lost")
	assert.Equal(t, []uint16{1}, polledLost(tr, after(425*time.Millisecond)))
}

// An end that stands still reads an acknowledgement long after it has arrived. The long round trip
// that is then measured does not make later packets count as lost any later.
//
// Proves: P3
func TestAnAcknowledgementThatWaitedDelaysNothing(t *testing.T) {
	tr := NewTracker(Config{})
	sendData(tr, 1)
	bad := 2030 * time.Millisecond
	require.Len(t, polledLost(tr, after(bad)), 1)
	ack(t, tr, 1, 0, after(bad))
	tr.Next(after(bad), 0, Data)
	assert.Empty(t, polledLost(tr, after(bad+LossMax-1)))
	assert.Equal(t, []uint16{2}, polledLost(tr, after(bad+LossMax)))
	assert.Equal(t, 500*time.Millisecond, tr.ResendRTT())

	at := bad
	for id := uint16(3); id < 20; id++ {
		tr.Next(after(at), 0, Data)
		at += 100 * time.Millisecond
		ack(t, tr, id, 0, after(at))
	}
	assert.Equal(t, tr.RTT(), tr.ResendRTT(), "better samples count")
	assert.Less(t, tr.RTT(), 400*time.Millisecond)
}

// After a few samples of a round trip of three seconds, the timeout is longer than that: no packet
// counts as lost before its acknowledgement can arrive.
func TestALongRoundTripIsLearned(t *testing.T) {
	const trip = 3 * time.Second
	tr := NewTracker(Config{})
	for id := uint16(1); id <= 40; id++ {
		at := time.Duration(id) * trip
		tr.Next(after(at), 0, Data)
		lost := polledLost(tr, after(at+trip))
		if id > 6 {
			assert.Empty(t, lost)
		}
		ack(t, tr, id, 0, after(at+trip))
	}
	assert.Equal(t, trip, tr.RTT())
	assert.Equal(t, trip, tr.ResendRTT().Round(100*time.Millisecond))
}

// The late acknowledgements of many packets in flight reveal that a line has become much
// slower.
//
// Proves: P3
func TestALineThatBecomesSlowerIsNoticed(t *testing.T) {
	tr := NewTracker(Config{})
	var sent []time.Duration // by id less 1
	trip := 40 * time.Millisecond
	reported := 0
	ackedLate := 0
	for at := time.Duration(0); at < 6*time.Second; at += 3 * time.Millisecond {
		if at >= time.Second {
			trip = 400 * time.Millisecond
		}
		tr.Next(after(at), 0, Data)
		sent = append(sent, at)
		for reported < len(sent) && sent[reported]+trip <= at {
			reported++
			ack(t, tr, uint16(reported), 0, after(at))
		}
		if got := polledAcked(tr); at >= 3*time.Second {
			ackedLate += len(got)
		}
		polledLost(tr, after(at))
	}
	assert.InDelta(t, float64(400*time.Millisecond), float64(tr.RTT()), float64(5*time.Millisecond))
	assert.Greater(t, ackedLate, 900, "of 1000")
	assert.LessOrEqual(t, len(tr.sent.slots), maxSlots)
}

func TestLostWhenTheWindowMovesPast(t *testing.T) {
	tr := NewTracker(Config{AckDelay: -1})
	sendData(tr, 40)
	ack(t, tr, 33, 0, epoch)
	assert.Empty(t, polledLost(tr, epoch), "id 1 is the last bit of 33")
	ack(t, tr, 35, 0, epoch)
	assert.Equal(t, []uint16{1, 2}, polledLost(tr, epoch))
}

// A packet that newer headers can't acknowledge any more is not lost while an older header that acknowledges it may be on the
// way: headers overtake each other, and many packets of one frame move the window on at once.
//
// Proves: P2
func TestAnOvertakenHeaderMayStillAcknowledge(t *testing.T) {
	tr := NewTracker(Config{InitialRTT: 100 * ms, AckDelay: -1})
	for i := range 64 { // packets that take 100 ms
		tr.Next(after(time.Duration(i)*100*ms), 0, Data)
		ack(t, tr, uint16(i+1), 0, after(time.Duration(i+1)*100*ms))
	}
	polledAcked(tr)
	sent := after(64 * 100 * ms)
	for range 40 {
		tr.Next(sent, 0, Data)
	}
	ack(t, tr, 104, 1<<32-1, sent.Add(90*ms))
	assert.Empty(t, polledLost(tr, sent.Add(90*ms)), "an older header may come")
	ack(t, tr, 71, 1<<6-1, sent.Add(95*ms))
	assert.Empty(t, polledLost(tr, sent.Add(95*ms)))
	assert.Len(t, polledAcked(tr), 40)

	sent = sent.Add(time.Second)
	for range 40 {
		tr.Next(sent, 0, Data)
	}
	ack(t, tr, 144, 1<<32-1, sent.Add(90*ms))
	assert.Empty(t, polledLost(tr, sent.Add(118*ms)), "the first to be overtaken may take longer than any that was not")
	assert.Len(t, polledLost(tr, sent.Add(145*ms)), 7, "none came in time")
}

// How long such an older header may be on the way depends on how much the times vary.
//
// Proves: P2
func TestAnOvertakenHeaderMayTakeLongerThanOthers(t *testing.T) {
	tr := NewTracker(Config{InitialRTT: 100 * ms, AckDelay: -1})
	now := after(0)
	for i := range 64 { // packets that take 80 or 120 ms
		tr.Next(now, 0, Data)
		now = now.Add(time.Duration(80+i%2*40) * ms)
		ack(t, tr, uint16(i+1), 0, now)
	}
	polledAcked(tr)
	sent := now
	for range 40 {
		tr.Next(sent, 0, Data)
	}
	ack(t, tr, 104, 1<<32-1, sent.Add(80*ms))
	assert.Empty(t, polledLost(tr, sent.Add(150*ms)), "an older header may come")
	assert.Len(t, polledLost(tr, sent.Add(230*ms)), 7)
}

func TestLateAcknowledgementChangesNoVerdict(t *testing.T) {
	tr := NewTracker(Config{})
	sendData(tr, 1)
	late := after(3 * time.Second)
	assert.Equal(t, []uint16{1}, polledLost(tr, late))
	ack(t, tr, 1, 0, late)
	ack(t, tr, 1, 0, late)
	assert.Empty(t, polledAcked(tr))
	assert.Equal(t, Stats{Sent: 1, Lost: 1, Spurious: 1}, tr.Stats())
	assert.Equal(t, 3*time.Second, tr.RTT(), "otherwise a round trip above the timeout would never be noticed")
}

func TestInFlightIsBounded(t *testing.T) {
	tr := NewTracker(Config{})
	var gone []uint16
	for range 3 * MaxInFlight {
		tr.Next(epoch, 0, Data)
		gone = append(gone, polledLost(tr, epoch)...)
	}
	require.Len(t, gone, 2*MaxInFlight)
	for i, id := range gone {
		require.Equal(t, uint16(i+1), id)
	}
	assert.Equal(t, MaxInFlight, tr.InFlight())
	assert.Len(t, tr.sent.slots, maxSlots)
}

func TestUnpolledVerdictsPanic(t *testing.T) {
	tr := NewTracker(Config{})
	assert.PanicsWithValue(t, unpolled, func() { sendData(tr, maxSlots+1) })

	tr = NewTracker(Config{})
	assert.PanicsWithValue(t, unpolled, func() {
		for range maxSlots {
			h := tr.Next(epoch, 0, Data)
			ack(t, tr, h.ID, 0, epoch)
		}
	})
}

// Proves: P11
func TestIdleEndsStopSending(t *testing.T) {
	a, b := NewTracker(Config{}), NewTracker(Config{})
	_, err := b.HandleHeader(a.Next(epoch, 0, Data), epoch)
	require.NoError(t, err)
	fromA, fromB := 0, 0
	for now := epoch; now.Before(after(10 * time.Second)); now = now.Add(time.Second / 60) {
		if b.AckDue(now) {
			fromB++
			_, err = a.HandleHeader(b.Next(now, 0, AckOnly), now)
			require.NoError(t, err)
		}
		if a.AckDue(now) {
			fromA++
		}
	}
	assert.Equal(t, 1, fromB, "one ack-only packet is the answer")
	assert.Zero(t, fromA, "which is not answered")
	assert.Equal(t, []uint16{1}, polledAcked(a))
	assert.Zero(t, b.InFlight(), "an ack-only packet takes no id")
}

// Proves: P11
func TestAckDueBeforeTheWindowIsUsedUp(t *testing.T) {
	receive := func(tr *Tracker, ids ...uint16) {
		for _, id := range ids {
			_, err := tr.HandleHeader(Header{Kind: Data, ID: id}, epoch)
			require.NoError(t, err)
		}
	}
	t.Run("a third of the window", func(t *testing.T) {
		tr := NewTracker(Config{})
		for id := range uint16(AckEvery - 1) {
			receive(tr, id+1)
			require.False(t, tr.AckDue(epoch), "after %d", id+1)
		}
		receive(tr, AckEvery)
		assert.True(t, tr.AckDue(epoch))
		tr.Next(epoch, 0, AckOnly)
		assert.False(t, tr.AckDue(after(time.Hour)), "acknowledged")
	})
	t.Run("gaps use up the window too", func(t *testing.T) {
		tr := NewTracker(Config{})
		receive(tr, 1, 1+AckEvery)
		assert.True(t, tr.AckDue(epoch))
	})
	t.Run("after the delay", func(t *testing.T) {
		tr := NewTracker(Config{AckDelay: 30 * time.Millisecond})
		receive(tr, 1)
		assert.False(t, tr.AckDue(after(30*time.Millisecond-1)))
		assert.True(t, tr.AckDue(after(30*time.Millisecond)))
	})
	t.Run("duplicates need no acknowledgement", func(t *testing.T) {
		tr := NewTracker(Config{})
		receive(tr, 1)
		tr.Next(epoch, 0, AckOnly)
		receive(tr, 1)
		assert.False(t, tr.AckDue(after(time.Hour)))
	})
}

// Proves: Z9
func TestAcknowledgementsOfUnsentPackets(t *testing.T) {
	tr := NewTracker(Config{})
	sendData(tr, 3)
	ack(t, tr, 4, 1<<32-1, epoch)   // id 4 was not sent: its bits are ignored too
	ack(t, tr, 3, 1<<3|1<<4, epoch) // the same for ids before the first one
	assert.Equal(t, []uint16{3}, polledAcked(tr))
	assert.Equal(t, uint64(3), tr.Stats().BadAcks)
	for n := uint64(4); n < MaxBadAcks; n++ {
		ack(t, tr, 1000, 0, epoch)
		require.Equal(t, n, tr.Stats().BadAcks)
	}
	_, err := tr.HandleHeader(Header{Kind: Data, ID: 1, Ack: 1000}, epoch)
	require.ErrorIs(t, err, ErrBadAcks)
	_, err = tr.HandleHeader(Header{Kind: Data, ID: 2, Ack: 3}, epoch)
	require.ErrorIs(t, err, ErrBadAcks, "and for all later headers")
}

// Proves: Z9
func TestNoHeaderCostsMoreThan33Steps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := NewTracker(Config{})
		for range rapid.IntRange(0, 200).Draw(t, "sent") {
			tr.Next(epoch, 0, Data)
		}
		newest, bits := rapid.Uint16().Draw(t, "ack"), rapid.Uint32().Draw(t, "bits")
		steps := tr.handleAcks(Header{Ack: newest, AckBits: bits}, 0)
		assert.LessOrEqual(t, steps, 33)
		assert.LessOrEqual(t, tr.Stats().BadAcks, uint64(steps))
	})
	tr := NewTracker(Config{})
	sendData(tr, 40)
	assert.Equal(t, 33, tr.handleAcks(Header{Ack: 40, AckBits: 1<<32 - 1}, 0))
}

// Proves: P1
func TestIdsWrapAround(t *testing.T) {
	a, b := NewTracker(Config{AckDelay: -1}), NewTracker(Config{})
	nextLost := uint16(1)
	for n := range 3 * 65536 / 2 {
		h := a.Next(epoch, 0, Data)
		require.Equal(t, uint16(n+1), h.ID)
		if n%3 != 0 {
			fresh, err := b.HandleHeader(h, epoch)
			require.NoError(t, err)
			require.True(t, fresh)
		}
		_, err := a.HandleHeader(b.Next(epoch, 0, AckOnly), epoch)
		require.NoError(t, err)
		for _, id := range a.TakeAcked() {
			require.NotZero(t, n%3)
			require.Equal(t, h.ID, id)
		}
		for id, ok := a.PollLost(epoch); ok; id, ok = a.PollLost(epoch) {
			require.Equal(t, nextLost, id, "every third was never received")
			nextLost += 3
		}
	}
	assert.Zero(t, a.Stats().BadAcks)
	assert.Less(t, a.InFlight(), 13)
	assert.Equal(t, uint64(nextLost)+65536, 1+3*a.Stats().Lost)
}

// TestVerdicts runs two ends over a link that loses, repeats, delays and reorders packets.
//
// Proves: P3
func TestVerdicts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type flying struct {
			at time.Time
			h  Header
		}
		a, b := NewTracker(Config{}), NewTracker(Config{})
		loss := rapid.IntRange(0, 60).Draw(t, "loss")
		var toA, toB []flying
		verdicts := map[uint16]string{}
		fresh := map[uint16]bool{}
		put := func(link []flying, now time.Time, h Header) []flying {
			for range rapid.SampledFrom([]int{1, 1, 1, 2}).Draw(t, "copies") {
				if rapid.IntRange(0, 99).Draw(t, "chance") >= loss {
					delay := time.Duration(rapid.IntRange(1, 150).Draw(t, "delay")) * time.Millisecond
					link = append(link, flying{now.Add(delay), h})
				}
			}
			return link
		}
		arrive := func(link []flying, now time.Time, handle func(Header)) []flying {
			return slices.DeleteFunc(link, func(f flying) bool {
				if f.at.After(now) {
					return false
				}
				handle(f.h)
				return true
			})
		}
		once := func(id uint16, verdict string) {
			require.NotContains(t, verdicts, id)
			verdicts[id] = verdict
		}
		sent := rapid.IntRange(1, 80).Draw(t, "ticks")
		for n := range sent + 300 {
			now := after(time.Duration(n) * time.Second / 60)
			if n < sent {
				toB = put(toB, now, a.Next(now, 0, Data))
			}
			toB = arrive(toB, now, func(h Header) {
				isFresh, err := b.HandleHeader(h, now)
				require.NoError(t, err)
				if isFresh {
					require.False(t, fresh[h.ID], "fresh twice")
					fresh[h.ID] = true
				}
				if b.AckDue(now) {
					toA = put(toA, now, b.Next(now, 0, AckOnly))
				}
			})
			toA = arrive(toA, now, func(h Header) {
				_, err := a.HandleHeader(h, now)
				require.NoError(t, err)
			})
			for _, id := range polledAcked(a) {
				once(id, "acked")
				require.True(t, fresh[id], "acknowledged but never received")
			}
			for _, id := range polledLost(a, now) {
				once(id, "lost")
			}
		}
		assert.Len(t, verdicts, sent, "every id has a verdict in the end")
	})
}

func TestLossRate(t *testing.T) {
	tr := NewTracker(Config{AckDelay: -1})
	assert.Zero(t, tr.LossRate())
	for n := range 1000 {
		h := tr.Next(epoch, 0, Data)
		if n%4 != 0 {
			ack(t, tr, h.ID, 0, epoch)
		}
		polledAcked(tr)
		polledLost(tr, epoch)
	}
	assert.InDelta(t, 0.25, tr.LossRate(), 0.03)
}

func TestConfigIsChecked(t *testing.T) {
	require.NoError(t, Config{}.Validate())
	require.ErrorIs(t, Config{LossFactor: 0.5}.Validate(), ErrLossFactor)
	require.ErrorIs(t, Config{InitialRTT: -1}.Validate(), ErrInitialRTT)
	assert.PanicsWithError(t, ErrInitialRTT.Error(), func() { NewTracker(Config{InitialRTT: -1}) })
}

func TestTrackerAllocatesNothing(t *testing.T) {
	a, b := NewTracker(Config{}), NewTracker(Config{})
	now, n := epoch, 0
	buf := make([]byte, 0, HeaderSize)
	tick := func() {
		now, n = now.Add(time.Second/60), n+1
		buf = AppendHeader(buf[:0], a.Next(now, 0, Data))
		h, _, _ := ParseHeader(buf)
		if n%5 != 0 {
			_, _ = b.HandleHeader(h, now)
		}
		if b.AckDue(now) {
			_, _ = a.HandleHeader(b.Next(now, 0, AckOnly), now)
		}
		a.TakeAcked()
		for _, ok := a.PollLost(now); ok; _, ok = a.PollLost(now) {
		}
	}
	for range 1000 {
		tick()
	}
	assert.Zero(t, alloctest.Count(1000, tick))
}
