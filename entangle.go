// Package entangle holds the words that all layers of Entangle share: ticks,
// client ids, and the limits that both sides of a connection must agree on.
//
// Games rarely import it for more than these types; the door is the package
// plugin, and what a game registers goes into the package protocol.
package entangle

// Tick counts fixed steps of the simulation. State "at T" means after step T.
// It wraps around after 2^32 steps (828 days at 60 Hz), so ticks are compared by
// distance (Before, Sub) and never with < or >.
type Tick uint32

// Before reports whether t is earlier than u, by the shorter way around the
// wrap. For two ticks exactly 2^31 apart there is no shorter way: the one that
// is numerically 2^31 above counts as the earlier of the two, in both orders.
func (t Tick) Before(u Tick) bool { return int32(t-u) < 0 }

// Sub returns the distance from u to t in steps: positive when t is later.
func (t Tick) Sub(u Tick) int32 { return int32(t - u) }

// ClientID names a player, as written in its connect token by whoever minted it.
// Nobody is not a valid client.
type ClientID uint64

// Nobody is the zero ClientID: the server itself, or no owner.
const Nobody ClientID = 0
