package plugin

import "github.com/entangle-ecs/entangle/internal/core/timesync"

// Quality rates a connection for play, by the timing of the player's inputs over the last 256
// ticks, and by the network statistics of packets.
type Quality = timesync.Quality

// The qualities of a connection. The worst criterion decides.
const (
	// Unknown: there are no measurements yet.
	Unknown = timesync.Unknown
	// Good: at most one tick in a hundred ran without the player's input, at most 5 % of packets
	// are lost, and the round trip deviates by at most 50 ms.
	Good = timesync.Good
	// Fair: at most one tick in twenty, 15 % and 100 ms. Players can feel it.
	Fair = timesync.Fair
	// Poor: worse than that.
	Poor = timesync.Poor
)

// Quality returns the quality of the connection as measured on this side: Loss is the loss towards
// the server. It is Unknown without a connection.
func (c *Client) Quality() Quality { return c.engine.Quality() }
