package oracle

import (
	"fmt"
	"maps"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
)

// recordConnected records the connected clients after a tick. A new client joins the state of that
// tick.
func (h *history) recordConnected(clients []entangle.ClientID) {
	connected := map[entangle.ClientID]entangle.Tick{}
	for _, client := range clients {
		tick, before := h.connected[client]
		if !before || h.disconnected[client] {
			tick = h.tick
		}
		connected[client] = tick
	}
	h.connected = connected
	clear(h.disconnected)
}

// aloneSince reports whether an entity existed for a client from a tick until now, as the only
// member of its group, and was never paused. If an entity changes its group, or another member
// joins its group, there is no guarantee when it arrives.
func (h *history) aloneSince(e ecs.Entity, client entangle.ClientID, from entangle.Tick) bool {
	list := h.versions[e]
	first := firstAfter(list, from, func(v *version) entangle.Tick { return v.from }) - 1
	if first < 0 || len(h.groups[from][list[first].group]) != 1 {
		return false
	}
	for _, v := range list[first:] {
		if v.removed || v.state.Paused || v.group != list[first].group || !maps.Equal(v.views, list[first].views) || !v.views[client].sees {
			return false
		}
	}
	return len(h.groups[h.tick][list[first].group]) == 1
}

// checkJoined checks that a client that reports having joined has every entity that existed when it
// connected and has not changed its visibility since.
func (c *clientCheck) checkJoined() error {
	from, connected := c.history.connected[c.client]
	if c.now.joined = c.joined; !c.joined || c.last.joined || !connected {
		return nil
	}
	for e := range c.history.versions {
		if c.replicas[e].IsZero() && c.history.aloneSince(e, c.client, from) {
			return fmt.Errorf("it has joined without the server's %v, which was there since tick %d", e, from)
		}
	}
	return nil
}
