package timesync

import (
	"math/bits"
	"slices"
)

// LateFrame is a frame of a client in which something arrived that made a difference on its screen at once: an update
// for which an entity waited, or a new entity of a time that was shown already. Of packets that arrived in no such
// frame it does not matter when they did: what they had was shown when it was due.
type LateFrame struct {
	Screen Screen // that was drawn before the frame
	Newest uint16 // id of the newest packet that had arrived in it
	Others uint32 // bit k: the packet Newest-1-k did
	// Overtaken says that only the others arrived in the frame, and that Newest had arrived before each of them.
	Overtaken bool
}

// add adds an earlier packet. It reports whether that is near enough.
func (f *LateFrame) add(id uint16) bool {
	by := f.Newest - id
	if by > 0 && by <= 32 {
		f.Others |= 1 << (by - 1)
	}
	return by <= 32
}

// follow adds a later packet. It reports whether that is near enough to all of the others.
func (f *LateFrame) follow(id uint16) bool {
	by := int(id - f.Newest)
	if by == 0 || bits.Len32(f.Others)+by > 32 {
		return by == 0
	}
	f.Newest, f.Others = id, (f.Others<<1|1)<<(by-1)
	return true
}

// MaxLateFrames is the most late frames that a packet of a client tells of.
const MaxLateFrames = 8

// lateSends is how many packets tell of a late frame: in case that some are lost.
const lateSends = 4

// LateFrames are the late frames of a client of which the server is to be told, the oldest first. It records the packets
// of each frame, because that it was late is known at its end. The zero value is ready for use.
type LateFrames struct {
	newest  uint16      // of all packets
	some    bool        // there was one
	frame   []LateFrame // of this frame
	waiting []LateFrame
	sends   []int // of each of waiting: how many packets are still to tell of it
}

// PacketReceived records the arrival of a packet.
func (l *LateFrames) PacketReceived(id uint16) {
	overtaken := l.some && int16(id-l.newest) < 0
	for i := range l.frame {
		f := &l.frame[i]
		if f.Overtaken == overtaken && f.Newest == l.newest && (overtaken && f.add(id) || !overtaken && f.follow(id)) {
			l.newest = f.Newest
			return
		}
	}
	f := LateFrame{Newest: l.newest, Overtaken: true}
	if !overtaken {
		l.newest, l.some = id, true
		f = LateFrame{Newest: id}
	}
	if f.add(id) && len(l.frame) < MaxLateFrames {
		l.frame = append(l.frame, f)
	}
}

// EndFrame ends the packets of a frame, before which a screen was drawn. late says that the frame was late. A frame in
// which packets overtook each other counts as one.
func (l *LateFrames) EndFrame(drawn *Screen, late bool) {
	for i := range l.frame {
		late = late || l.frame[i].Overtaken
	}
	if late && drawn.Packets > 0 {
		for i := range l.frame {
			if len(l.waiting) == MaxLateFrames {
				l.drop(0)
			}
			l.frame[i].Screen = *drawn
			l.waiting, l.sends = append(l.waiting, l.frame[i]), append(l.sends, lateSends)
		}
	}
	l.frame = l.frame[:0]
}

func (l *LateFrames) drop(i int) {
	l.waiting, l.sends = slices.Delete(l.waiting, i, i+1), slices.Delete(l.sends, i, i+1)
}

// Frames returns those of which the next packet is to tell, at most MaxLateFrames. It is valid until the next call.
func (l *LateFrames) Frames() []LateFrame { return l.waiting }

// Sent records that a packet has told of all of them.
func (l *LateFrames) Sent() {
	for i := len(l.sends) - 1; i >= 0; i-- {
		if l.sends[i]--; l.sends[i] == 0 {
			l.drop(i)
		}
	}
}
