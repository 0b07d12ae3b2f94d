package endpoint

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/packet"
)

// payloadOf returns a payload with a packet's id, and the number of the test's call.
func payloadOf(id uint16, number int) []byte {
	b := packet.AppendHeader(nil, packet.Header{Kind: packet.Data, ID: id})
	return append(b, byte(number), byte(number>>8))
}

// takeAll takes the payloads that are left, up to most, and returns copies of them.
func (b *batch) takeAll(most int) (all [][]byte) {
	for len(all) < most {
		p := b.take()
		if p == nil {
			break
		}
		all = append(all, slices.Clone(p))
	}
	return all
}

// A client handles each payload once, and those that it has read in the order in which they were sent, across the largest
// id as well, and if it reads more of them while others wait.
//
// Proves: L1
func TestABatchIsInTheOrderOfSending(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var b batch
		newest, number := uint16(rng.Uint32()), 0
		b.add(payloadOf(newest, number))
		b.sort()
		require.Len(t, b.takeAll(2), 1)
		for range 30 {
			type sent struct {
				by    int // after newest
				bytes []byte
			}
			var want []sent
			for range 1 + rng.IntN(40) {
				number++
				by := rng.IntN(60) - 15
				want = append(want, sent{by, payloadOf(newest+uint16(by), number)})
				b.add(want[len(want)-1].bytes)
			}
			b.sort()
			inOrder := func(x, y sent) int { return x.by - y.by }
			slices.SortStableFunc(want, inOrder)
			got := b.takeAll(rng.IntN(len(want) + 1))
			handled := len(got)
			for range rng.IntN(20) {
				number++
				by := rng.IntN(60) - 15
				want = append(want, sent{by, payloadOf(newest+uint16(by), number)})
				b.add(want[len(want)-1].bytes)
			}
			slices.SortStableFunc(want[handled:], inOrder)
			b.sort()
			got = append(got, b.takeAll(100)...)
			require.Len(t, got, len(want))
			for i := range got {
				require.Equal(t, want[i].bytes, got[i], "seed %d", seed)
			}
			require.Nil(t, b.take())
			newest = b.handled
		}
	}
}

// A goodbye is handled after the packets that were sent before it, also if it overtakes them.
func TestAGoodbyeIsHandledLast(t *testing.T) {
	var b batch
	goodbye := packet.AppendHeader(nil, packet.Header{Kind: packet.Goodbye, ID: 7})
	for _, p := range [][]byte{payloadOf(6, 0), goodbye, payloadOf(7, 0), payloadOf(5, 0)} {
		b.add(p)
	}
	b.sort()
	assert.Equal(t, [][]byte{payloadOf(5, 0), payloadOf(6, 0), payloadOf(7, 0), goodbye}, b.takeAll(9))
}

// A payload that has no header is handled before those that were sent next, whatever their ids are.
func TestAPayloadWithoutAHeaderStaysInFront(t *testing.T) {
	var b batch
	for _, id := range []uint16{1, 30_000, 60_000} {
		b.add(payloadOf(id, 1))
		b.sort()
		require.Len(t, b.takeAll(2), 1)
	}
	b.add(payloadOf(60_002, 2))
	b.add([]byte{0xff})
	b.add(payloadOf(59_999, 3))
	b.sort()
	assert.Equal(t, [][]byte{payloadOf(59_999, 3), {0xff}, payloadOf(60_002, 2)}, b.takeAll(9))
}

// Nothing is left of a connection that has ended: neither its payloads nor its ids, so that those of the next one are in
// order.
func TestABatchOfTheNextConnectionIsEmpty(t *testing.T) {
	var b batch
	for _, id := range []uint16{30_000, 32_770, 32_771} {
		b.add(payloadOf(id, 1))
		b.sort()
		require.NotNil(t, b.take())
	}
	b.add(payloadOf(32_772, 1))
	b = b.emptied()
	assert.Nil(t, b.take())
	for _, id := range []uint16{3, 1, 2} {
		b.add(payloadOf(id, 1))
	}
	b.sort()
	assert.Equal(t, [][]byte{payloadOf(1, 1), payloadOf(2, 1), payloadOf(3, 1)}, b.takeAll(9))
}

// A batch has room for a bounded number of payloads, and is empty again when all of them are handled.
func TestABatchIsBounded(t *testing.T) {
	var b batch
	for range 3 {
		n := 0
		for ; !b.isFull(); n++ {
			b.add(payloadOf(uint16(n), n))
		}
		assert.Equal(t, maxBatch, n)
		b.sort()
		assert.Len(t, b.takeAll(2*maxBatch), maxBatch)
		assert.False(t, b.isFull())
		assert.Less(t, cap(b.bytes), 4*maxBatch*len(payloadOf(0, 0)))
	}
}
