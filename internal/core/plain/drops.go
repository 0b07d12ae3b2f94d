package plain

import "github.com/entangle-ecs/entangle/connection"

// drop is the reason why a datagram was ignored or answered by a denial.
type drop uint8

const (
	dropNone drop = iota
	dropSize
	dropKind
	dropStranger
	dropNumber
	dropRepeated
	dropReason
	dropHello
	dropGame
	dropAnswer
	dropEnded
	dropConnected
	dropFull
	dropEndedFull
	drops
)

// dropNames are the names of the reasons. Those from dropHello on are for attempts to connect.
var dropNames = [drops]string{
	"none", "size", "unknown kind", "no connection", "wrong number", "repeated", "reason",
	"hello form", "wrong protocol", "late or wrong answer", "answer of an ended connection",
	"client connected", "server full", "too many ended connections",
}

// hints are advice for operators.
var hints = map[drop]string{
	dropConnected: "this client id is connected already; give each player an id of its own, or wait for the end of a connection that broke off, which its timeout brings",
}

// counts are numbers of ignored datagrams, by reason.
type counts [drops]uint64

// appendTo appends the counts by name.
func (c *counts) appendTo(dst []connection.Dropped) []connection.Dropped {
	for i, n := range c {
		dst = append(dst, connection.Dropped{Reason: dropNames[i], Count: n, Refused: drop(i) >= dropHello, Hint: hints[drop(i)]})
	}
	return dst
}
