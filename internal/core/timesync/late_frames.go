package timesync

import "slices"

// LateFrame is a frame of a client in which something arrived that made a difference on its screen at once: an update
// for which an entity waited, or a new entity of a time that was shown already. Of packets that arrived in no such
// frame it does not matter when they did: what they had was shown when it was due.
type LateFrame struct {
	Screen Screen // that was drawn before the frame
	Newest uint16 // id of the newest packet that had arrived before the frame
	Later  uint32 // bit k: packet Newest+1+k arrived in the frame
	// Overtaken are packets that arrived in the frame although a later one had arrived before. Bit k is packet Newest-1-k.
	Overtaken uint32
}

// add adds a packet. It reports whether the id is near enough.
func (f *LateFrame) add(id uint16) bool {
	switch by := int(int16(id - f.Newest)); {
	case by > 0 && by <= 32:
		f.Later |= 1 << (by - 1)
		return true
	case by < 0 && by >= -32:
		f.Overtaken |= 1 << (-by - 1)
		return true
	}
	return false
}

// MaxLateFrames is the most late frames that a packet of a client tells of. One with more than 32 packets counts several
// times.
const MaxLateFrames = 32

// lateSends is how many packets tell of a late frame: in case that some are lost.
const lateSends = 4

// LateFrames are the late frames of a client of which the server is to be told, the oldest first. It records the packets
// of each frame, because that it was late is known at its end. The zero value is ready for use.
type LateFrames struct {
	newest  uint16      // of all packets
	some    bool        // there was one
	frame   []LateFrame // the packets of this frame
	waiting []LateFrame
	sends   []int // of each of waiting: how many packets are still to tell of it
}

// PacketReceived records the arrival of a packet. The packets of one frame come in the order in which they were sent.
func (l *LateFrames) PacketReceived(id uint16) {
	if !l.some {
		l.newest, l.some = id-1, true
	}
	later := int16(id-l.newest) > 0
	if n := len(l.frame); n == 0 || !l.frame[n-1].add(id) {
		f := LateFrame{Newest: l.newest}
		near := f.add(id)
		if !near && later {
			f.Newest = id - 1
			near = f.add(id)
		}
		if near && n < MaxLateFrames {
			l.frame = append(l.frame, f)
		}
	}
	if later {
		l.newest = id
	}
}

// EndFrame ends the packets of a frame, before which a screen was drawn. late says that the frame was late. So is one in
// which a packet arrived that had been overtaken.
func (l *LateFrames) EndFrame(drawn *Screen, late bool) {
	for i := range l.frame {
		late = late || l.frame[i].Overtaken != 0
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
