package timesync

import (
	"time"

	"github.com/entangle-ecs/entangle"
)

// arrivals estimates the newest tick of the server that can have arrived by now, as an offset from
// local time.
type arrivals struct {
	ticks  unwrapped
	window window
	newest Phase // the newest tick that arrived
	at     Phase // local time of the arrival of newest
}

// PacketReceived records the arrival of a packet from the server, with the tick of its header.
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
		c.shown.addPacket(h.newest, arrived)
	}
	h.follow(tick, arrived, at)
	h.window.addSample(at, arrived-at)
}

func (h *arrivals) follow(tick entangle.Tick, arrived, at Phase) {
	if h.ticks.follow(tick); arrived > h.newest || h.newest-arrived > whole(staleTicks) {
		h.newest, h.at = arrived, at
	}
}

// staleTicks is by how many ticks an overtaken packet can be older than the newest one. A greater
// difference counts as a new start of the server's ticks.
const staleTicks = 1 << 16

// line returns the newest tick of the server that can have arrived, minus local time.
func (h *arrivals) line() Phase { return h.window.high() }
