package main

import (
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
)

// Bits of the byte that a frame begins with.
const (
	frameLast     = 0x80 // its body goes to the end of the packet
	frameFragment = 0x40
)

// frameSize returns the channel of the first frame, and how many bytes it takes. What
// is no frame counts as one that goes to the end: nothing here is written by strangers.
func frameSize(frames []byte) (id channel.ID, size int) {
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
	if frames[0]&frameLast != 0 || len(frames) < head+2 {
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

// numbered reports whether the frames of a channel have the number of their message. The
// games here have no channels of their own.
func numbered(id channel.ID) bool {
	switch id {
	case peer.Updates, peer.Clock, peer.Inputs:
		return false
	}
	return id != peer.FirstMessages+channel.ID(channel.UnorderedUnreliable)
}
