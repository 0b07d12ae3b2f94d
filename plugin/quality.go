package plugin

import "github.com/entangle-ecs/entangle/internal/core/timesync"

// Quality says how good a connection is to play with: by how the player's inputs came over
// the last 256 ticks, and by what packets tell of the network.
type Quality = timesync.Quality

// The qualities of a connection. What is worst counts.
const (
	// Unknown: there is nothing to tell by yet.
	Unknown = timesync.Unknown
	// Good: at most one tick in a hundred ran without the player's input, at most 5 % of
	// the packets get lost, and the round trip deviates by 50 ms at most.
	Good = timesync.Good
	// Fair: at most one tick in twenty, 15 %, and 100 ms. It can be felt.
	Fair = timesync.Fair
	// Poor: worse than that.
	Poor = timesync.Poor
)

// Quality returns how good the connection is to play with, as this side sees it: Loss is
// that of the way to the server. Unknown without a connection.
func (c *Client) Quality() Quality { return c.engine.Quality() }
