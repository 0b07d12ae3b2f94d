package timesync

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
)

// drawnAt returns a screen that shows a tick.
func drawnAt(tick entangle.Tick) *Screen { return &Screen{Base: ShownAt(tick, 0), Packets: 1} }

// framesOf returns what a client tells of a frame, in which some packets arrived; those of before had arrived earlier.
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
		{"in order", []uint16{4}, []uint16{5, 6, 8, 9}, true, []LateFrame{{Newest: 4, Later: 0b11011}}},
		{"the first packets", nil, []uint16{5, 6, 8}, true, []LateFrame{{Newest: 4, Later: 0b1011}}},
		{"nothing was late", nil, []uint16{5, 6, 8}, false, nil},
		{"no packet", []uint16{5}, nil, true, nil},
		{"overtaken", []uint16{8}, []uint16{6, 7}, false, []LateFrame{{Newest: 8, Overtaken: 0b11}}},
		{"overtaken, and others", []uint16{5}, []uint16{3, 6, 8}, false, []LateFrame{{Newest: 5, Overtaken: 0b10, Later: 0b101}}},
		{"ids begin again", []uint16{last - 1}, []uint16{last - 3, last, 1}, true, []LateFrame{{Newest: last - 1, Overtaken: 0b10, Later: 0b101}}},
		{"the longest gap", []uint16{last}, []uint16{31}, true, []LateFrame{{Newest: last, Later: 1 << 31}}},
		{"a longer one", []uint16{last}, []uint16{32, 33}, true, []LateFrame{{Newest: 31, Later: 0b11}}},
		{"more than 32 packets", []uint16{last}, []uint16{0, 30, 33, 60}, true, []LateFrame{{Newest: last, Later: 1<<30 | 1}, {Newest: 30, Later: 1<<29 | 0b100}}},
		{"overtaken by 32", []uint16{40}, []uint16{8}, false, []LateFrame{{Newest: 40, Overtaken: 1 << 31}}},
		{"overtaken by more", []uint16{40}, []uint16{7}, false, nil},
	} {
		got := framesOf(c.late, c.before, c.ids...)
		require.Len(t, got, len(c.want), c.what)
		for i := range got {
			assert.Equal(t, c.want[i], got[i], c.what)
		}
	}
}

// Four packets tell of a late frame, with the screen before it, and no packet tells of more than 32: the newest ones.
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
			assert.EqualValues(t, 1, f.Later)
			assert.Equal(t, *drawnAt(entangle.Tick(f.Newest + 1)), f.Screen)
			ids = append(ids, f.Newest+1)
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
	for id := uint16(10); id < 50; id++ {
		frame(id, true)
	}
	for range 4 {
		ids := sent()
		require.Len(t, ids, 32)
		assert.EqualValues(t, 18, ids[0])
	}
	assert.Empty(t, sent())
}

// Of a frame with more gaps than a packet can tell of, the first parts are sent.
func TestALateFrameInManyPartsIsBounded(t *testing.T) {
	var ids []uint16
	for i := range uint16(40) {
		ids = append(ids, 100*i)
	}
	got := framesOf(true, nil, ids...)
	require.Len(t, got, MaxLateFrames)
	for i := range got {
		assert.Equal(t, LateFrame{Newest: ids[i] - 1, Later: 1}, got[i])
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
	assert.Equal(t, []LateFrame{{Screen: *drawnAt(10), Newest: 7, Later: 1}}, l.Frames())
}
