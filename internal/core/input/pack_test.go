package input_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// crowd returns the streams of a client with many entities. Their sticks move in every tick.
func crowd(n int) (streams []input.OwnStream) {
	for i := range n {
		w := newWriter()
		for tick := entangle.Tick(100); tick < 164; tick++ {
			w.Write(tick, 0, hands{X: uint8(tick), Y: uint8(i), Press: uint16(i*100) + uint16(tick)}.bytes())
		}
		streams = append(streams, input.OwnStream{Writer: w})
	}
	return streams
}

// pack writes a frame and returns how many ticks of each stream it contains, by network id.
func pack(t *testing.T, c *input.Composer, streams []input.OwnStream, room, inTime int, packet uint16) map[int]int {
	t.Helper()
	c.Begin([]byte{7}, room, 163)
	c.Pack(streams, names{}, nil, inTime, packet)
	frame := c.Finish()[1:]
	require.LessOrEqual(t, len(frame), room)
	ticks := map[int]int{}
	if len(frame) == 0 {
		return ticks
	}
	var f input.Frame
	f.Open(frame, 163, 1, 1)
	for f.Next() {
		name := f.Bits().Uvarint()
		oldest, newest := f.Range()
		require.Equal(t, entangle.Tick(163), newest)
		ticks[int(name)] = int(newest-oldest) + 1
		f.Skip(codec{})
	}
	require.NoError(t, f.Err())
	return ticks
}

func TestAFrameHasFewerOldTicksWhereThereIsLittleRoom(t *testing.T) {
	all := func(streams, ticks int) map[int]int {
		m := map[int]int{}
		for i := range streams {
			m[i] = ticks
		}
		return m
	}
	var c input.Composer
	require.Equal(t, all(1, 64), pack(t, &c, crowd(1), 1100, 64, 1))
	require.Equal(t, all(5, 32), pack(t, &c, crowd(5), 1100, 64, 1))
	require.Equal(t, all(20, 8), pack(t, &c, crowd(20), 1100, 64, 1))
	require.Equal(t, all(100, 1), pack(t, &c, crowd(100), 1100, 64, 1))
	require.Equal(t, all(1, 1), pack(t, &c, crowd(1), 10, 64, 1))
	require.Empty(t, pack(t, &c, crowd(1), 3, 64, 1))
	require.Empty(t, pack(t, &c, nil, 1100, 64, 1))
}

func TestAFrameFillsItsRoom(t *testing.T) {
	for newest := range entangle.Tick(20) { // so that the last stream ends at different bits
		streams := []plainStream{{newest: newest, words: []word{no}}}
		for range 8 {
			streams = append(streams, plainStream{newest: newest, words: drawnWords(len(streams))})
			room := len(plainFrame(0, nil, streams...))
			require.Equal(t, len(streams), fit(t, streams, room))
			require.Equal(t, len(streams)-1, fit(t, streams, room-1))
		}
	}
}

// fit returns how many streams fit into a frame.
func fit(t *testing.T, streams []plainStream, room int) int {
	var c input.Composer
	c.Begin(nil, room, 0)
	c.Screens(nil, 0)
	put := 0
	for _, l := range streams {
		stream := newFollower(0)
		_, err := read(plainFrame(0, nil, l), 0, stream)
		require.NoError(t, err)
		var b input.Body
		b.Encode(stream, 0, input.MaxTicks)
		c.Stream(0).Uvarint(0)
		if c.Put(&b) {
			put++
		}
	}
	require.LessOrEqual(t, len(c.Finish()), room)
	return put
}

func TestStreamsWithoutRoomAreFirstNextTime(t *testing.T) {
	var c input.Composer
	streams, got := crowd(10), map[int]int{}
	for packet := range uint16(4) {
		for name := range pack(t, &c, streams, 30, 64, packet) {
			got[name]++
		}
	}
	require.Len(t, got, 10)
}

// A stream that does not fit into any frame is not sent, and the others are.
func TestAStreamThatNeverFitsBlocksNoOther(t *testing.T) {
	var c input.Composer
	streams, got := crowd(5), map[int]int{}
	for packet := range uint16(4) {
		c.Begin(nil, 25, 163)
		c.Pack(streams, longName(2), nil, 64, packet)
		frame := c.Finish()
		require.NotEmpty(t, frame)
		var f input.Frame
		for f.Open(frame, 163, 1, 1); f.Next(); f.Skip(codec{}) {
			got[int(f.Bits().Uvarint())]++
		}
		require.NoError(t, f.Err())
	}
	require.NotContains(t, got, 2)
	require.Len(t, got, 4)
}

// longName is a stream with a head longer than the frame.
type longName int

func (l longName) AppendHead(w *bits.Writer, stream int) {
	names{}.AppendHead(w, stream)
	for range 5 {
		if stream == int(l) {
			w.Bits(0, 64)
		}
	}
}

func TestAcknowledgedTicksAreNotSentAgain(t *testing.T) {
	var c input.Composer
	streams := crowd(1)
	w := streams[0].Writer
	require.Equal(t, map[int]int{0: 64}, pack(t, &c, streams, 1100, 5, 1), "all ticks that were never sent")
	require.Equal(t, map[int]int{0: 5}, pack(t, &c, streams, 1100, 5, 2), "then those that can be in time")
	require.Equal(t, map[int]int{0: 2}, pack(t, &c, streams, 1100, 0, 3), "two at least")
	w.HandleAcked(3)
	require.Equal(t, map[int]int{0: 5}, pack(t, &c, streams, 1100, 5, 4), "those that the packet did not have")
	w.HandleLost(2)
	w.HandleAcked(2)
	require.Equal(t, 5, w.Wants(5), "a packet is lost for good")
	w.HandleAcked(4)
	require.Empty(t, pack(t, &c, streams, 1100, 5, 5))
	require.Equal(t, 64, w.Wants(64))
	w.HandleAcked(1)
	require.Zero(t, w.Wants(64))
	w.Write(164, 0, hands{}.bytes())
	require.Equal(t, 2, w.Wants(5))
}
