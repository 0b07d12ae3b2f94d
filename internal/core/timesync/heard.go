package timesync

import (
	"time"

	"github.com/entangle-ecs/entangle"
)

// heard is the line of what arrives: which tick of the server is the newest that a client
// can have by now, as an offset from local time.
type heard struct {
	ticks  unwrapped
	window window
	newest Phase // tick
	at     Phase // local time of its arrival
}

// Heard tells the clock of a packet of the server, by the tick of its header.
func (c *Client) Heard(tick entangle.Tick, now time.Time) {
	at := c.axis.at(now)
	h := &c.heard
	if !h.ticks.some {
		h.newest, h.at = h.ticks.of(tick), at
		h.window.add(at, h.newest-at)
		return
	}
	heard := h.ticks.of(tick)
	if c.astray(at, heard-at) {
		h.follow(tick, heard, at)
		return
	}
	if heard > h.newest {
		c.shown.arrived(h, heard, at)
	}
	h.follow(tick, heard, at)
	h.window.add(at, heard-at)
}

func (h *heard) follow(tick entangle.Tick, heard, at Phase) {
	if h.ticks.follow(tick); heard > h.newest || h.newest-heard > whole(staleTicks) {
		h.newest, h.at = heard, at
	}
}

// staleTicks is by how much a tick can be older than the newest and have been overtaken.
const staleTicks = 1 << 16

// line returns the newest tick that can be there, less local time.
func (h *heard) line() Phase { return h.window.high() }
