package connectiontest

import (
	"net/netip"
	"testing"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
)

// Game and ProtocolID are those of the servers and clients of the checks.
const (
	Game       = "connectiontest"
	ProtocolID = 0x1122334455667788
)

// Layer is a fresh layer for one check.
type Layer struct {
	// Listener must never have been used.
	Listener connection.Listener

	// Dialer returns a dialer for a client of the server that the Listener opened.
	Dialer func(guest Guest) connection.Dialer
}

// Guest describes a client that is to connect.
type Guest struct {
	Client   entangle.ClientID
	UserData []byte           // must not end with zeros
	Servers  []netip.AddrPort // the server's Addrs
	Now      time.Time        // the time by the clock of the check

	// ProtocolID is that of the client's game. The ClientConfig has it, too; this one is for layers
	// with tokens that name the game.
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
