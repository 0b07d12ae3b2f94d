package timesync

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
)

// drawnAt returns a screen that shows a tick.
func drawnAt(tick entangle.Tick) *Screen { return &Screen{Base: ShownAt(tick, 0), Packets: 1} }

// framesOf returns what a client tells of a frame. In it packets arrived in the order of ids; those of before had arrived
// earlier.
func framesOf(late bool, before []uint16, ids ...uint16) []LateFrame {
	var l LateFrames
	for _, id := range before {
		l.PacketReceived(id)
	}
	l.EndFrame(drawnAt(9), false)
	for _, id := range ids {
		l.PacketReceived(id)
	}
	l.EndFrame(drawnAt(10), late)
	for i := range l.Frames() {
		l.Frames()[i].Screen = Screen{}
	}
	return l.Frames()
}

// A late frame says which packets arrived in it, and which of these were overtaken by which one.
//
// Proves: L1
func TestALateFrameSaysWhichPacketsArrived(t *testing.T) {
	const last = 65535
	for _, c := range []struct {
		what   string
		before []uint16
		ids    []uint16
		late   bool
		want   []LateFrame
	}{
		{"in order", nil, []uint16{5, 6, 8, 9}, true, []LateFrame{{Newest: 9, Others: 0b1101}}},
		{"nothing was late", nil, []uint16{5, 6, 8}, false, nil},
		{"no packet", []uint16{5}, nil, true, nil},
		{"overtaken", nil, []uint16{5, 8, 6, 7}, false, []LateFrame{{Newest: 8, Others: 0b100}, {Newest: 8, Others: 0b11, Overtaken: true}}},
		{"overtaken in an earlier frame", []uint16{8}, []uint16{6}, false, []LateFrame{{Newest: 8, Others: 0b10, Overtaken: true}}},
		{"overtaken by another one each", []uint16{5}, []uint16{4, 7, 6}, false, []LateFrame{
			{Newest: 5, Others: 1, Overtaken: true}, {Newest: 7}, {Newest: 7, Others: 1, Overtaken: true},
		}},
		{"order again after one that was overtaken", nil, []uint16{5, 3, 6}, false, []LateFrame{{Newest: 6, Others: 1}, {Newest: 5, Others: 0b10, Overtaken: true}}},
		{"overtaken by one, and by one more", nil, []uint16{5, 3, 6, 4}, false, []LateFrame{
			{Newest: 6, Others: 1}, {Newest: 5, Others: 0b10, Overtaken: true}, {Newest: 6, Others: 0b10, Overtaken: true},
		}},
		{"ids begin again", nil, []uint16{last - 1, last, 1, 0}, true, []LateFrame{{Newest: 1, Others: 0b110}, {Newest: 1, Others: 1, Overtaken: true}}},
		{"the longest gap", nil, []uint16{last, 31}, true, []LateFrame{{Newest: 31, Others: 1 << 31}}},
		{"a longer one", nil, []uint16{last, 32}, true, []LateFrame{{Newest: last}, {Newest: 32}}},
		{"a gap that is too long for the first", nil, []uint16{1, 20, 34}, true, []LateFrame{{Newest: 20, Others: 1 << 18}, {Newest: 34}}},
		{"overtaken by 32", []uint16{40}, []uint16{8}, false, []LateFrame{{Newest: 40, Others: 1 << 31, Overtaken: true}}},
		{"overtaken by more", []uint16{40}, []uint16{7}, false, nil},
	} {
		got := framesOf(c.late, c.before, c.ids...)
		require.Len(t, got, len(c.want), c.what)
		for i := range got {
			assert.Equal(t, c.want[i], got[i], c.what)
		}
	}
}

// Four packets tell of a late frame, with the screen before it, and no packet tells of more than eight: the newest ones.
//
// Proves: L1
func TestFourPacketsTellOfALateFrame(t *testing.T) {
	var l LateFrames
	frame := func(id uint16, late bool) {
		l.PacketReceived(id)
		l.EndFrame(drawnAt(entangle.Tick(id)), late)
	}
	sent := func() (ids []uint16) {
		for _, f := range l.Frames() {
			assert.Equal(t, *drawnAt(entangle.Tick(f.Newest)), f.Screen)
			ids = append(ids, f.Newest)
		}
		l.Sent()
		return ids
	}
	frame(1, true)
	assert.Equal(t, []uint16{1}, sent())
	assert.Equal(t, []uint16{1}, sent())
	frame(2, false)
	frame(3, true)
	assert.Equal(t, []uint16{1, 3}, sent())
	assert.Equal(t, []uint16{1, 3}, sent())
	assert.Equal(t, []uint16{3}, sent())
	assert.Equal(t, []uint16{3}, sent())
	assert.Empty(t, sent())
	for id := uint16(10); id < 20; id++ {
		frame(id, true)
	}
	for range 4 {
		assert.Equal(t, []uint16{12, 13, 14, 15, 16, 17, 18, 19}, sent())
	}
	assert.Empty(t, sent())
}

// Of a frame with more gaps than a packet can tell of, the first parts are sent.
func TestALateFrameInManyPartsIsBounded(t *testing.T) {
	var ids []uint16
	for i := range uint16(20) {
		ids = append(ids, 100*i)
	}
	got := framesOf(true, nil, ids...)
	require.Len(t, got, MaxLateFrames)
	for i := range got {
		assert.Equal(t, LateFrame{Newest: ids[i]}, got[i])
	}
}

// Nothing is sent of a frame before which no screen was drawn, nor later of its packets.
//
// Proves: L1
func TestAFrameBeforeTheFirstScreenIsNotLate(t *testing.T) {
	var l LateFrames
	l.PacketReceived(7)
	l.EndFrame(&Screen{}, true)
	assert.Empty(t, l.Frames())
	l.PacketReceived(8)
	l.EndFrame(drawnAt(10), true)
	assert.Equal(t, []LateFrame{{Screen: *drawnAt(10), Newest: 8}}, l.Frames())
}
