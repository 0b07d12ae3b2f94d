package channel

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// begunMessage is an incomplete message in the simple model of byAge.
type begunMessage struct {
	id      ID
	message uint16
	parts   int
	next    int // index of the next part
	since   time.Duration
}

func (b begunMessage) cost() int { return messageOverhead + b.parts*(fragmentOverhead+FragmentSize) }

func sum(all []begunMessage) (cost int) {
	for _, b := range all {
		cost += b.cost()
	}
	return cost
}

// The messages that began first are dropped first, to free memory or because their time is over, in
// whatever order messages of two channels begin, grow and are completed.
//
// Proves: Z8
func TestWhatBeganFirstGoesFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMux(t, everyMode()...)
		var twin []begunMessage
		var now time.Duration
		evicted, expired := uint64(0), uint64(0)
		pop := func(count *uint64) { twin = slices.Delete(twin, 0, 1); *count++ }
		const parts = 40
		for range rapid.IntRange(50, 300).Draw(t, "fragments") {
			now += time.Duration(rapid.SampledFrom([]int{0, 0, 0, 1, 300}).Draw(t, "ms")) * time.Millisecond
			for len(twin) > 0 && now-twin[0].since >= ReassemblyTimeout {
				pop(&expired)
			}
			one := begunMessage{id: ID(rapid.SampledFrom([]Mode{SequencedUnreliable, UnorderedUnreliable}).Draw(t, "channel")), since: now}
			one.message = uint16(rapid.IntRange(0, 99).Draw(t, "message"))
			find := func() int {
				return slices.IndexFunc(twin, func(b begunMessage) bool { return b.id == one.id && b.message == one.message })
			}
			index := 0
			if at := find(); at >= 0 {
				index = twin[at].next
			}
			if index == parts-1 {
				continue // it would complete the message
			}
			handle(t, m, epoch.Add(now), fragment(one.id, one.message, index, parts*FragmentSize))
			for sum(twin)+messageOverhead+fragmentOverhead+FragmentSize > UnreliableWindow {
				pop(&evicted)
			}
			if find() < 0 { // unless it was dropped to free memory
				twin = append(twin, one)
			}
			twin[find()].parts++
			twin[find()].next = index + 1
			received(m)
			require.Equal(t, sum(twin), m.Held())
			require.Equal(t, [2]uint64{evicted, expired}, [2]uint64{m.Stats().Evicted, m.Stats().Expired})
			at := 0
			for p := m.held.byAge.oldest; p != nil; p = p.newer {
				require.Equal(t, [2]uint16{uint16(twin[at].id), twin[at].message}, [2]uint16{uint16(p.of.channel.id), p.of.id})
				at++
			}
			require.Len(t, twin, at)
		}
	})
}

// A message that is completed is removed from the order in which messages began, wherever it is in
// that order. Messages that began before and after it still expire.
//
// Proves: Z8
func TestACompletedMessageLeavesTheOrderOfOthers(t *testing.T) {
	const begun = 4
	for first := range uint16(begun) {
		for second := range uint16(begun) {
			m := newMux(t, Config{Mode: UnorderedUnreliable})
			for message := range uint16(begun) {
				handle(t, m, epoch, fragment(0, message, 0, 2*FragmentSize))
			}
			completed := 1
			handle(t, m, epoch, fragment(0, first, 1, 2*FragmentSize))
			require.Len(t, received(m), 1)
			if second != first {
				completed++
				handle(t, m, epoch, fragment(0, second, 1, 2*FragmentSize))
				require.Len(t, received(m), 1)
			}
			handle(t, m, epoch.Add(ReassemblyTimeout/2), fragment(0, begun, 0, 2*FragmentSize))
			m.Expire(epoch.Add(ReassemblyTimeout))
			require.EqualValues(t, begun-completed, m.Stats().Expired, "%d, then %d", first, second)
			m.Expire(epoch.Add(ReassemblyTimeout / 2 * 3))
			require.EqualValues(t, begun-completed+1, m.Stats().Expired)
			require.Zero(t, m.Held())
		}
	}
}

// When memory is needed for a fragment, the message to be dropped is found without examining other
// messages, except those that the binary search for its place visits. The test removes all others,
// so that examining one of them panics.
func TestMakingRoomLooksAtFewMessages(t *testing.T) {
	m := newMux(t, everyMode()...)
	channels := []*inChannel{m.receiver.byID[SequencedUnreliable], m.receiver.byID[UnorderedUnreliable]}
	for n := uint16(0); m.Stats().Evicted == 0; n++ {
		f := frame{id: channels[n%2].id, hasID: true, fragment: true, index: 60, final: 60, body: []byte{1}}
		f.message = (200 + 37*n) % 512 // the oldest is in the middle of its channel
		handle(t, m, epoch, f)
	}
	oldest := m.held.byAge.oldest.of
	held, looked := 0, 0
	for _, ch := range channels {
		all := ch.held
		searched := map[int]bool{}
		if at, found := ch.findHeld(oldest.id); ch == oldest.channel {
			require.True(t, found)
			searched = searchedFor(at, len(all))
		}
		held, looked = held+len(all), looked+len(searched)
		for i := range all {
			if !searched[i] {
				all[i] = nil
			}
		}
	}
	for a := m.held.byAge.oldest.newer; a != nil; a = a.newer {
		a.of = nil
	}
	require.Greater(t, held, 300)
	require.Less(t, looked, 10)
	m.held.unreliable = UnreliableWindow
	require.NotPanics(t, func() { m.receiver.makeRoom(oldest.channel, 1) }, "it looks at more of the %d messages than %d", held, looked)
	assert.EqualValues(t, 2, m.Stats().Evicted)
}

// searchedFor returns the places among n that a binary search for one place examines.
func searchedFor(place, n int) map[int]bool {
	all, looked := make([]int, n), map[int]bool{place: true}
	for i := range all {
		all[i] = i
	}
	_, _ = slices.BinarySearchFunc(all, place, func(i, place int) int { looked[i] = true; return i - place })
	return looked
}
