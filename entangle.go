// Package entangle defines the types that all layers of Entangle share: ticks, client ids, and the
// limits on which both sides of a connection must agree.
//
// Games rarely need more of this package than these types. A game starts with package plugin, and
// registers its types with package protocol.
package entangle

// Tick is the number of a fixed step of the simulation. State "at T" is the state after step T.
// Ticks wrap around after 2^32 steps (828 days at 60 Hz), so ticks are compared by distance
// (Before, Sub) and never with < or >.
type Tick uint32

// Before reports whether t is earlier than u, by the shorter way around the wrap. For two ticks
// that are exactly 2^31 apart there is no shorter way: then t.Before(u) and u.Before(t) are both
// true.
func (t Tick) Before(u Tick) bool { return int32(t-u) < 0 }

// Sub returns the distance from u to t in ticks. It is positive if t is later.
func (t Tick) Sub(u Tick) int32 { return int32(t - u) }

// ClientID identifies a player, as written in its connect token by the backend that minted it.
// Nobody is not a valid client.
type ClientID uint64

// Nobody is the zero ClientID. It stands for the server itself, or for no owner.
const Nobody ClientID = 0
