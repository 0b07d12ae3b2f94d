package workload

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/transport/token"
)

// Packets is a list of packets in one block of memory.
type Packets struct {
	Data []byte
	Ends []int
}

func (b *Packets) Reset() { b.Data, b.Ends = b.Data[:0], b.Ends[:0] }

// Add stores data, which is Data with one more packet appended.
func (b *Packets) Add(data []byte) { b.Data, b.Ends = data, append(b.Ends, len(data)) }

// Packet returns packet i.
func (b *Packets) Packet(i int) []byte {
	from, to := 0, b.Ends[i]
	if i > 0 {
		from = b.Ends[i-1]
	}
	return b.Data[from:to:to]
}

// Each calls yield for each packet.
func (b *Packets) Each(yield func([]byte) bool) {
	for i := range b.Ends {
		if !yield(b.Packet(i)) {
			return
		}
	}
}

// Line holds the packets that are in flight, for some ticks.
type Line []Packets

func (l Line) At(tick entangle.Tick) *Packets { return &l[int(tick)%len(l)] }

// Put stores the packets that are sent at a tick.
func (l Line) Put(tick entangle.Tick, from *Packets) {
	to := l.At(tick)
	to.Data, to.Ends = append(to.Data[:0], from.Data...), append(to.Ends[:0], from.Ends...)
}

func (l Line) Clear(tick entangle.Tick) { l.At(tick).Reset() }

func (l Line) Add(tick entangle.Tick, b []byte) {
	to := l.At(tick)
	to.Add(append(to.Data, b...))
}

// Due returns the packets that arrive at a tick.
func (l Line) Due(tick entangle.Tick) *Packets { return l.At(tick + 1) }

// These are bits of the first byte of a frame.
const (
	FrameLast     = 0x80 // its body extends to the end of the packet
	frameFragment = 0x40
)

// FrameSize returns the channel of the first frame, and its size in bytes. An invalid frame counts
// as one that extends to the end, because all packets here are valid.
func FrameSize(frames []byte) (id channel.ID, size int) {
	id = channel.ID(frames[0] & (frameFragment - 1))
	head := 1
	if numbered(id) || frames[0]&frameFragment != 0 {
		head += 2
	}
	if frames[0]&frameFragment != 0 {
		if head += 2; len(frames) >= head && frames[head-2] != frames[head-1] {
			return id, min(len(frames), head+channel.FragmentSize)
		}
	}
	if frames[0]&FrameLast != 0 || len(frames) < head+2 {
		return id, len(frames)
	}
	body := int(frames[head])
	head++
	if body >= 0x80 {
		body = body&0x7f | int(frames[head])<<7
		head++
	}
	return id, min(len(frames), head+body)
}

// numbered reports whether the frames of a channel carry message numbers. The games here have no
// channels of their own.
func numbered(id channel.ID) bool {
	switch id {
	case peer.Updates, peer.Clock, peer.Inputs:
		return false
	}
	return id != peer.FirstMessages+channel.ID(channel.UnorderedUnreliable)
}

// PayloadSize returns the size of the payload in a sealed packet. A byte stands before the payload,
// then as many bytes of a sequence number as the high half of that byte says; behind the payload is
// a tag.
func PayloadSize(sealed []byte) int { return len(sealed) - 1 - int(sealed[0]>>4) - token.TagSize }
