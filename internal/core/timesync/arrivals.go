package timesync

import (
	"time"

	"github.com/entangle-ecs/entangle"
)

// arrivals tracks the newest tick of the server that can have arrived, as an offset from local
// time.
type arrivals struct {
	ticks  unwrapped
	window window
	newest Phase // tick
	at     Phase // local time of its arrival
}

// PacketReceived records the arrival of a packet of the server with the tick of its header.
func (c *Client) PacketReceived(tick entangle.Tick, now time.Time) {
	at := c.axis.phaseAt(now)
	h := &c.arrivals
	if !h.ticks.some {
		h.newest, h.at = h.ticks.extend(tick), at
		h.window.addSample(at, h.newest-at)
		return
	}
	arrived := h.ticks.extend(tick)
	if c.suspect(at, arrived-at) {
		h.follow(tick, arrived, at)
		return
	}
	if arrived > h.newest {
		c.shown.arrived(h, arrived, at)
	}
	h.follow(tick, arrived, at)
	h.window.addSample(at, arrived-at)
}

func (h *arrivals) follow(tick entangle.Tick, arrived, at Phase) {
	if h.ticks.follow(tick); arrived > h.newest || h.newest-arrived > whole(staleTicks) {
		h.newest, h.at = arrived, at
	}
}

// staleTicks is how much older than the newest tick that of an overtaken packet can be.
const staleTicks = 1 << 16

// line returns the newest tick that can have arrived, less local time.
func (h *arrivals) line() Phase { return h.window.high() }
