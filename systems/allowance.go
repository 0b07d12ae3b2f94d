package systems

import (
	"errors"

	"github.com/entangle-ecs/entangle/internal/core/channel"
)

const (
	// maxMessages bounds the messages that a server takes from one client in one
	// frame: half of what a queue keeps, so that no client pushes out what all the
	// others said. A client that sends more has not stalled, it floods.
	maxMessages = MaxMessageEvents / 2

	// relayRefill is what a client's messages to others may cost per frame, in bytes,
	// and relayBurst what it can save up: room for one of the longest.
	relayRefill = 4 << 10
	relayBurst  = 128 << 10

	// relayOverhead is what each of them costs beside its body.
	relayOverhead = 128

	// copiesRefill is what the copies of these messages, one for each client that they are
	// for, may cost per frame, in bytes, and copiesBurst what can be saved up. The last one
	// may go beyond: so the longest message gets to any number of clients, and those after
	// it wait until it is made up for.
	copiesRefill = 24 << 10
	copiesBurst  = 1 << 20
)

// errFlood means that a client sent more in one frame than any honest one.
var errFlood = errors.New("systems: more messages or requests in one frame than a client may send")

// allowance is what a client may still make the server do in this frame.
type allowance struct {
	messages int
	asked    []int // by request number
	relayed  int   // cost of what was passed on; negative: saved up
	copies   int   // and of its copies
}

func newAllowance(requests int) allowance {
	return allowance{asked: make([]int, requests), relayed: relayRefill - relayBurst, copies: copiesRefill - copiesBurst}
}

// renew begins a frame.
func (a *allowance) renew() {
	a.messages = 0
	clear(a.asked)
	a.relayed = max(a.relayed-relayRefill, relayRefill-relayBurst)
	a.copies = max(a.copies-copiesRefill, copiesRefill-copiesBurst)
}

// message takes one message.
func (a *allowance) message() error {
	if a.messages++; a.messages > maxMessages {
		return errFlood
	}
	return nil
}

// request takes one request. An honest client has no more than maxCalls of a kind
// under way, and no answer leaves before the end of the frame.
func (a *allowance) request(number int) error {
	if a.asked[number]++; a.asked[number] > maxCalls {
		return errFlood
	}
	return nil
}

// relay reports whether one more message of so many bytes is passed on, to so many clients.
func (a *allowance) relay(bytes, clients int) bool {
	cost := bytes + relayOverhead
	if a.relayed+cost > relayRefill || a.copies >= copiesRefill {
		return false
	}
	a.relayed += cost
	a.copies += cost * clients
	return true
}

// keepsOrder reports whether messages of a mode are delivered in the order in which
// they were sent.
func keepsOrder(m channel.Mode) bool {
	return m != channel.UnorderedReliable && m != channel.UnorderedUnreliable
}
