package transporttest

import (
	"testing"

	"github.com/entangle-ecs/entangle/transport"
)

// Open makes a fresh transport for one check: a listener that was never used, and a dialer
// that reaches it at the LocalAddr of the Conn that it opens. It registers cleanup with
// t.Cleanup and fails through t.
type Open func(t testing.TB) (transport.Listener, transport.Dialer)

// Trait is a behaviour that some transports have and others do not.
type Trait uint8

// Connected transports hold a connection for each client. When the server closes, a
// client's Conn breaks: Receive returns an error that is neither ErrEmpty nor ErrClosed.
// Without this trait, a client's Conn outlives its server.
const Connected Trait = 1

// KeepsRoom transports reserve room for datagrams of connected clients (transport.Admitter),
// however many datagrams other addresses send.
const KeepsRoom Trait = 2

// Run runs every check as a subtest, each with a transport of its own.
func Run(t *testing.T, open Open, traits ...Trait) {
	t.Helper()
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) { c.run(newBench(t, open, patience, traits...)) })
	}
}

type check struct {
	name string
	run  func(*bench)
}

var checks = [...]check{
	{"Addresses", checkAddresses},
	{"SizesArriveWhole", checkSizes},
	{"BatchArrives", checkBatch},
	{"ReceiveNeverBlocks", checkReceiveNeverBlocks},
	{"SendNeverBlocks", checkSendNeverBlocks},
	{"SendKeepsNothing", checkSendKeepsNothing},
	{"TooLargeForBufferIsDropped", checkTooLargeForBuffer},
	{"PeersAreToldApart", checkPeers},
	{"ClientHearsItsServerOnly", checkStranger},
	{"UnreachablePeersAreLoss", checkUnreachable},
	{"ClientsKeepTheirRoom", checkRoom},
	{"PeerMayVanish", checkPeerVanishes},
	{"ClosedConnRefuses", checkClosed},
	{"CloseWhileInUse", checkCloseWhileInUse},
	{"OpensAgain", checkOpensAgain},
}
