package channel

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// plainReceiver is a simple model of the receiving side of one channel. It keeps everything for
// ever, and counts messages without wrapping.
type plainReceiver struct {
	mode      Mode
	parts     map[int]map[int][]byte
	delivered map[int]bool
	next      int // ordered modes: the next message to deliver; sequenced modes: the one after the last delivered
}

func newPlainReceiver(mode Mode, first int) *plainReceiver {
	return &plainReceiver{mode: mode, parts: map[int]map[int][]byte{}, delivered: map[int]bool{}, next: first}
}

// receive gets the part of message n with the given index, and returns the messages that this part
// completes or releases.
func (p *plainReceiver) receive(n, index, parts int, body []byte) (out [][]byte) {
	if p.delivered[n] || p.mode.Sequenced() && n < p.next {
		return nil
	}
	if p.parts[n] == nil {
		p.parts[n] = map[int][]byte{}
	}
	p.parts[n][index] = body
	if len(p.parts[n]) < parts {
		return nil
	}
	switch {
	case p.mode == OrderedReliable:
		p.delivered[n] = true
		for ; p.delivered[p.next]; p.next++ {
			out = append(out, p.joined(p.next))
		}
		return out
	case p.mode.Sequenced():
		p.next = n + 1
	}
	p.delivered[n] = true
	return [][]byte{p.joined(n)}
}

func (p *plainReceiver) joined(n int) (whole []byte) {
	for i := range len(p.parts[n]) {
		whole = append(whole, p.parts[n][i]...)
	}
	return whole
}

// Proves: P5, P6, P7, P9
func TestReceiverEqualsPlainTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mode := Mode(rapid.IntRange(0, int(UnorderedUnreliable)).Draw(t, "mode"))
		first := rapid.SampledFrom([]int{0, 65526}).Draw(t, "first")
		m := newMux(t, Config{Mode: mode})
		startAt(m, m, 0, uint16(first))
		twin := newPlainReceiver(mode, first)

		type arrival struct {
			n, index, parts int
			body            []byte
		}
		var schedule []arrival
		for n := first; n < first+rapid.IntRange(1, 20).Draw(t, "messages"); n++ {
			size := rapid.SampledFrom([]int{0, 1, 200, FragmentSize, FragmentSize + 1, 3 * FragmentSize}).Draw(t, "size")
			whole := bytes.Repeat([]byte{byte(n)}, size)
			for i := range fragmentCount(size) {
				one := arrival{n, i, fragmentCount(size), whole[i*FragmentSize : min(size, (i+1)*FragmentSize)]}
				copies := rapid.IntRange(0, 2).Draw(t, "copies")
				if !mode.Reliable() {
					copies = min(copies, 1)
				}
				for range copies {
					schedule = append(schedule, one)
				}
			}
		}
		for _, a := range rapid.Permutation(schedule).Draw(t, "order") {
			f := frame{
				message: uint16(a.n), fragment: a.parts > 1, hasID: mode.carriesID(a.parts > 1),
				index: uint8(a.index), final: uint8(a.parts - 1), body: a.body,
			}
			require.NoError(t, m.HandleFrames(encodeAll(f), epoch))
			var got [][]byte
			for _, body, ok := m.Poll(); ok; _, body, ok = m.Poll() {
				got = append(got, slices.Clone(body))
			}
			want := twin.receive(a.n, a.index, a.parts, a.body)
			require.Len(t, got, len(want))
			for i := range want {
				require.True(t, bytes.Equal(want[i], got[i]), "message %d", i)
			}
		}
	})
}
