package connectiontest

import (
	"net/netip"
	"testing"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
)

// Game and ProtocolID of the servers and clients of the checks.
const (
	Game       = "connectiontest"
	ProtocolID = 0x1122334455667788
)

// Layer is a fresh layer for one check.
type Layer struct {
	// Listener that was never used.
	Listener connection.Listener

	// Dialer returns a dialer for a client of the server that the Listener opened.
	Dialer func(guest Guest) connection.Dialer
}

// Guest describes a client that is to connect.
type Guest struct {
	Client   entangle.ClientID
	UserData []byte           // its last bytes are not zero
	Servers  []netip.AddrPort // Addrs of the server
	Now      time.Time        // of the check

	// ProtocolID of the client's game. It is in the ClientConfig, too; this one is for
	// layers with tokens that name the game.
	ProtocolID uint64
}

// Open makes a layer for one check. It registers cleanup with t.Cleanup and fails through t.
type Open func(t testing.TB) Layer

// Run runs every check as a subtest, each with a layer of its own.
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
	{"AClientIsLetIn", checkConnect},
	{"PayloadsArriveWhole", checkSizes},
	{"PayloadsArriveOnce", checkOnce},
	{"SendKeepsNothing", checkSendKeepsNothing},
	{"SlotsAreToldApart", checkSlots},
	{"SendFromManyGoroutines", checkGoroutines},
	{"DisconnectReachesTheClient", checkDisconnect},
	{"AClientMayLeave", checkLeave},
	{"SilenceOfAClientEndsIt", checkSilentClient},
	{"SilenceOfTheServerEndsIt", checkSilentServer},
	{"AQuietConnectionLasts", checkQuiet},
	{"AFullServerLetsNobodyIn", checkFull},
	{"AnotherGameIsNotLetIn", checkGame},
	{"CloseEndsAll", checkClose},
	{"Counters", checkCounters},
}
