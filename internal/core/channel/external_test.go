package channel

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestExternalFrames(t *testing.T) {
	a, b := pair(t, Config{ID: 7, Mode: External}, Config{ID: 1})
	send(t, a, 1, "hello", epoch)
	p, eliciting := a.AppendFrames([]byte("head"), fullRoom, 1, epoch, testRTT)
	require.True(t, eliciting)
	var want []string
	for _, n := range []int{0, 1, 127, 128, 400} {
		body := bytes.Repeat([]byte{byte(n)}, n)
		want = append(want, string(body))
		var mark Mark
		p, mark = a.BeginFrame(p, 7)
		before := len(p)
		p = append(p, body...)
		p = a.EndFrame(p, mark)
		assert.LessOrEqual(t, len(p)-before, n)
	}
	before := len(p)
	p = a.Finish(p)
	assert.Equal(t, before-2, len(p), "the length of the last frame is left out")
	require.NoError(t, b.HandleFrames(p[4:], epoch))
	assert.Equal(t, append([]string{"hello"}, want...), received(b))
}

func TestFinishGolden(t *testing.T) {
	m := newMux(t, Config{ID: 7, Mode: External}, Config{ID: 1})
	p, mark := m.BeginFrame(nil, 7)
	p = m.EndFrame(append(p, 0xaa), mark)
	assert.Equal(t, "0701aa", hex.EncodeToString(p))
	assert.Equal(t, "87aa", hex.EncodeToString(m.Finish(p)))
	assert.Equal(t, "87aa", hex.EncodeToString(m.Finish([]byte{0x87, 0xaa})), "a packet without frames of this mux stays as it is")

	send(t, m, 1, "x", epoch)
	p, _ = m.AppendFrames(nil, fullRoom, 1, epoch, testRTT)
	assert.Equal(t, "0100000178", hex.EncodeToString(p))
	assert.Equal(t, "81000078", hex.EncodeToString(m.Finish(p)))
	send(t, m, 1, longText(2*FragmentSize), epoch)
	p, _ = m.AppendFrames(nil, MinRoom, 2, epoch, testRTT)
	assert.Equal(t, p, m.Finish(bytes.Clone(p)), "a full fragment has no length to leave out")
}

func TestFinishedPacketsMeanTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := pair(t, everyMode()...)
		var want []string
		var p []byte
		for range rapid.IntRange(1, 10).Draw(t, "frames") {
			body := bytes.Repeat([]byte("z"), rapid.SampledFrom([]int{0, 1, 127, 128, 129, 300}).Draw(t, "size"))
			want = append(want, string(body))
			if rapid.Bool().Draw(t, "external") {
				var mark Mark
				p, mark = a.BeginFrame(p, ID(External))
				p = a.EndFrame(append(p, body...), mark)
			} else {
				id := ID(rapid.IntRange(0, 4).Draw(t, "id"))
				_, err := a.Send(id, body, 0, epoch)
				require.NoError(t, err)
				p, _ = a.AppendFrames(p, fullRoom, 1, epoch, testRTT)
			}
		}
		p = a.Finish(p)
		require.NoError(t, b.HandleFrames(p, epoch))
		assert.Equal(t, want, received(b))
	})
}

func TestExternalMistakes(t *testing.T) {
	m := newMux(t, Config{ID: 1}, Config{ID: 2, Mode: External, Direction: ReceiveOnly}, Config{ID: 3, Mode: External})
	for _, id := range []ID{1, 2, 4, 100} {
		assert.Panics(t, func() { m.BeginFrame(nil, id) }, "channel %d", id)
	}
	p, mark := m.BeginFrame(nil, 3)
	assert.Panics(t, func() { m.EndFrame(append(p, make([]byte, 1<<14)...), mark) })
}

func TestFinishLeavesOtherBytesAlone(t *testing.T) {
	m := newMux(t, Config{ID: 3, Mode: External})
	p, mark := m.BeginFrame(nil, 3)
	p = m.EndFrame(append(p, 1, 2), mark)
	other := append(bytes.Clone(p), 3)
	assert.Equal(t, other, m.Finish(bytes.Clone(other)))

	m.BeginFrame(nil, 3)
	assert.Equal(t, []byte("head"), m.Finish([]byte("head")), "a frame that was begun and given up")
	p, mark = m.BeginFrame([]byte("head"), 3)
	m.EndFrame(append(p, 1, 2), mark)
	assert.Equal(t, []byte("head"), m.Finish([]byte("head")), "a packet that was given up")
}
