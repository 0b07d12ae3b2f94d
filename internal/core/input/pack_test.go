package input_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// crowd is the lanes of a client with many entities, whose sticks never rest.
func crowd(n int) (lanes []input.OwnLane) {
	for i := range n {
		w := newWriter()
		for tick := entangle.Tick(100); tick < 164; tick++ {
			w.Write(tick, 0, hands{X: uint8(tick), Y: uint8(i), Press: uint16(i*100) + uint16(tick)}.bytes())
		}
		lanes = append(lanes, input.OwnLane{Writer: w})
	}
	return lanes
}

// pack writes a frame and returns how many ticks it has of each lane by name.
func pack(t *testing.T, c *input.Composer, lanes []input.OwnLane, room, inTime int, packet uint16) map[int]int {
	t.Helper()
	c.Begin([]byte{7}, room, 163, nil)
	c.Pack(lanes, names{}, inTime, packet)
	frame := c.Finish()[1:]
	require.LessOrEqual(t, len(frame), room)
	ticks := map[int]int{}
	if len(frame) == 0 {
		return ticks
	}
	var f input.Frame
	f.Open(frame, 163, 1)
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
	all := func(lanes, ticks int) map[int]int {
		m := map[int]int{}
		for i := range lanes {
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
	for newest := range entangle.Tick(20) { // the last lane ends at other bits
		lanes := []plainLane{{newest: newest, words: []word{no}}}
		for range 8 {
			lanes = append(lanes, plainLane{newest: newest, words: drawnWords(len(lanes))})
			room := len(plainFrame(0, nil, lanes...))
			require.Equal(t, len(lanes), fit(t, lanes, room))
			require.Equal(t, len(lanes)-1, fit(t, lanes, room-1))
		}
	}
}

// fit returns how many lanes fit into a frame.
func fit(t *testing.T, lanes []plainLane, room int) int {
	var c input.Composer
	c.Begin(nil, room, 0, nil)
	put := 0
	for _, l := range lanes {
		lane := newFollower(0)
		_, err := read(plainFrame(0, nil, l), 0, lane)
		require.NoError(t, err)
		var b input.Body
		b.Encode(lane, 0, input.MaxTicks)
		c.Lane(0).Uvarint(0)
		if c.Put(&b) {
			put++
		}
	}
	require.LessOrEqual(t, len(c.Finish()), room)
	return put
}

func TestLanesWithoutRoomGoFirstTheNextTime(t *testing.T) {
	var c input.Composer
	lanes, got := crowd(10), map[int]int{}
	for packet := range uint16(4) {
		for name := range pack(t, &c, lanes, 30, 64, packet) {
			got[name]++
		}
	}
	require.Len(t, got, 10)
}

// A lane that no frame has room for says nothing, and the others do.
func TestALaneWithoutRoomAnywhereHoldsUpNobody(t *testing.T) {
	var c input.Composer
	lanes, got := crowd(5), map[int]int{}
	for packet := range uint16(4) {
		c.Begin(nil, 25, 163, nil)
		c.Pack(lanes, longName(2), 64, packet)
		frame := c.Finish()
		require.NotEmpty(t, frame)
		var f input.Frame
		for f.Open(frame, 163, 1); f.Next(); f.Skip(codec{}) {
			got[int(f.Bits().Uvarint())]++
		}
		require.NoError(t, f.Err())
	}
	require.NotContains(t, got, 2)
	require.Len(t, got, 4)
}

// longName is a lane whose head is longer than the frame.
type longName int

func (l longName) AppendHead(w *bits.Writer, lane int) {
	names{}.AppendHead(w, lane)
	for range 5 {
		if lane == int(l) {
			w.Bits(0, 64)
		}
	}
}

func TestWhatHasArrivedIsNotSentAgain(t *testing.T) {
	var c input.Composer
	lanes := crowd(1)
	w := lanes[0].Writer
	require.Equal(t, map[int]int{0: 64}, pack(t, &c, lanes, 1100, 5, 1), "all that was never sent")
	require.Equal(t, map[int]int{0: 5}, pack(t, &c, lanes, 1100, 5, 2), "then what can be in time")
	require.Equal(t, map[int]int{0: 2}, pack(t, &c, lanes, 1100, 0, 3), "two at least")
	w.HandleAcked(3)
	require.Equal(t, map[int]int{0: 5}, pack(t, &c, lanes, 1100, 5, 4), "what that packet did not have")
	w.HandleLost(2)
	w.HandleAcked(2)
	require.Equal(t, 5, w.Wants(5), "a packet is lost for good")
	w.HandleAcked(4)
	require.Empty(t, pack(t, &c, lanes, 1100, 5, 5))
	require.Equal(t, 64, w.Wants(64))
	w.HandleAcked(1)
	require.Zero(t, w.Wants(64))
	w.Write(164, 0, hands{}.bytes())
	require.Equal(t, 2, w.Wants(5))
}
