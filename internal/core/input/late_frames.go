package input

import (
	"math"

	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// countBits is the length of the number of late frames, less 1, and idBits that of the id of a packet.
const countBits, idBits = 5, 16

// appendLateFrames writes the late frames of a client. newest is the newest screen of the packet.
func appendLateFrames(w *bits.Writer, late []timesync.LateFrame, newest *timesync.Screen) {
	n := 0
	for i := range late {
		if canTell(&late[i], newest) {
			n++
		}
	}
	if w.Bool(n > 0); n == 0 {
		return
	}
	w.Bits(uint64(n-1), countBits)
	for i := range late {
		f := &late[i]
		if !canTell(f, newest) {
			continue
		}
		w.Uvarint(uint64(newest.Base - f.Screen.Base))
		if moved := distancesDiffer(&newest.Intervals, newest, &f.Screen); newest.Intervals.Len() > 0 {
			if w.Bool(moved); moved {
				appendDistances(w, &newest.Intervals, newest, &f.Screen)
			}
		}
		w.Bits(uint64(f.Newest), idBits)
		w.Uvarint(uint64(f.Later))
		if w.Bool(f.Overtaken != 0); f.Overtaken != 0 {
			w.Uvarint(uint64(f.Overtaken))
		}
	}
}

// canTell reports whether a packet with a newest screen can tell of a late frame.
func canTell(f *timesync.LateFrame, newest *timesync.Screen) bool {
	back := newest.Base - f.Screen.Base
	return back >= 0 && back <= maxAdvance
}

// readLateFrames reads what appendLateFrames wrote.
func (s *screens) readLateFrames(r *bits.Reader) {
	if !r.Bool() {
		return
	}
	for n := r.Bits(countBits) + 1; n > 0 && r.Err() == nil; n-- {
		f := &s.late[s.lates]
		f.Screen = s.of[0]
		back := r.Uvarint()
		readDistances(r, &f.Screen)
		id, later, overtaken := r.Bits(idBits), r.Uvarint(), uint64(0)
		if r.Bool() {
			overtaken = r.Uvarint()
		}
		if back > maxAdvance || later > math.MaxUint32 || overtaken > math.MaxUint32 {
			r.Fail(ErrDistance)
			return
		}
		f.Screen.Base -= timesync.Shown(back)
		f.Newest, f.Later, f.Overtaken = uint16(id), uint32(later), uint32(overtaken)
		s.lates++
	}
}

// LateFrames returns the late frames that a frame of inputs tells of.
func (f *Frame) LateFrames() []timesync.LateFrame { return f.screens.late[:f.screens.lates] }
