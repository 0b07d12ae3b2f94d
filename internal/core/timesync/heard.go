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

	astray int // packets in a row that are far below the line
}

// Heard tells the clock of a packet of the server, by the tick of its header.
func (c *Client) Heard(tick entangle.Tick, now time.Time) {
	at := c.axis.at(now)
	h := &c.heard
	some := h.ticks.some
	heard := h.ticks.of(tick)
	if !some || heard > h.newest {
		if some {
			c.shown.arrived(h, heard, at)
		}
		h.ticks.follow(tick)
		h.newest, h.at = heard, at
	}
	if some && heard-at < h.line()-c.limits.far {
		h.astray++
	} else {
		h.astray = 0
	}
	h.window.add(at, heard-at)
}

// line returns the newest tick that can be there, less local time.
func (h *heard) line() Phase { return h.window.high() }

// doubt says that the server is not where it was, by the looks of it.
func (h *heard) doubt() bool { return h.astray >= lastingBlocks }
