package transporttest

import (
	"testing"

	"github.com/entangle-ecs/entangle/transport"
)

// Open makes a fresh transport for one check: a listener that was never used,
// and a dialer that reaches it at the LocalAddr of the Conn that it opens. It
// registers what there is to clean up with t.Cleanup and fails through t.
type Open func(t testing.TB) (transport.Listener, transport.Dialer)

// Run runs every check as a subtest, each with a transport of its own.
func Run(t *testing.T, open Open) {
	t.Helper()
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) { c.run(newBench(t, open, patience)) })
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
	{"PeerMayVanish", checkPeerVanishes},
	{"ClosedConnRefuses", checkClosed},
	{"CloseWhileInUse", checkCloseWhileInUse},
	{"OpensAgain", checkOpensAgain},
}
