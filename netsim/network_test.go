package netsim_test

import (
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/conditioner"
	"github.com/entangle-ecs/entangle/transport/transporttest"
)

func TestNetworkIsATransport(t *testing.T) {
	transporttest.Run(t, func(testing.TB) (transport.Listener, transport.Dialer) {
		clock := &netsim.Clock{}
		n := netsim.NewNetwork(1, clock.Now)
		return n.Listener(), n.Line()
	})
}

// rig is a server and some clients, each on a line of its own.
type rig struct {
	t       *testing.T
	clock   netsim.Clock
	network *netsim.Network
	server  transport.Conn
	lines   []*netsim.Line
	clients []transport.Conn
}

func newRig(t *testing.T, seed uint64, links ...netsim.Link) *rig {
	r := &rig{t: t}
	r.network = netsim.NewNetwork(seed, r.clock.Now)
	listener := r.network.Listener()
	var err error
	r.server, err = listener.Listen()
	require.NoError(t, err)
	for _, link := range links {
		line := r.network.Line()
		require.NoError(t, line.SetLink(link))
		client, err := line.Dial(listener.Addr())
		require.NoError(t, err)
		r.lines, r.clients = append(r.lines, line), append(r.clients, client)
	}
	return r
}

func (r *rig) sendText(from transport.Conn, to netip.AddrPort, text string) {
	sent, err := from.Send([]transport.Datagram{{Addr: to, Data: []byte(text)}})
	require.NoError(r.t, err)
	require.Equal(r.t, 1, sent)
}

func (r *rig) up(client int, text string) {
	r.sendText(r.clients[client], r.server.LocalAddr(), text)
}

func (r *rig) down(client int, text string) {
	r.sendText(r.server, r.clients[client].LocalAddr(), text)
}

// received returns all datagrams that have arrived at an end so far.
func (r *rig) received(at transport.Conn) []string {
	var all []string
	buf := make([]byte, entangle.MaxDatagram)
	for {
		n, _, err := at.Receive(buf)
		if errors.Is(err, transport.ErrEmpty) {
			return all
		}
		require.NoError(r.t, err)
		all = append(all, string(buf[:n]))
	}
}

func TestDatagramArrivesAfterTheLatencyOfItsLine(t *testing.T) {
	r := newRig(t, 1, latency(40*ms), netsim.Link{
		Up: conditioner.Config{Latency: 10 * ms}, Down: conditioner.Config{Latency: 30 * ms},
	})
	assert.Equal(t, 40*ms, r.lines[1].Link().RoundTrip())
	r.up(0, "slow")
	r.up(1, "quick")
	r.down(1, "back")
	assert.Equal(t, 3, r.network.InFlight())
	r.clock.Advance(10*ms - 1)
	assert.Empty(t, r.received(r.server))
	r.clock.Advance(1)
	assert.Equal(t, []string{"quick"}, r.received(r.server))
	r.clock.Advance(20 * ms)
	assert.Equal(t, []string{"back"}, r.received(r.clients[1]))
	r.clock.Advance(10 * ms)
	assert.Equal(t, []string{"slow"}, r.received(r.server))
	assert.Zero(t, r.network.InFlight())
}

// A server that receives once per frame still sees its clients' datagrams in the
// order of their arrival, not client by client.
func TestServerReceivesInTheOrderOfArrival(t *testing.T) {
	r := newRig(t, 1, latency(30*ms), latency(20*ms), latency(10*ms))
	for i := range r.clients {
		r.up(i, fmt.Sprint("a", i))
	}
	r.clock.Advance(15 * ms)
	for i := range r.clients {
		r.up(i, fmt.Sprint("b", i))
	}
	r.clock.Advance(time.Second)
	assert.Equal(t, []string{"a2", "a1", "b2", "a0", "b1", "b0"}, r.received(r.server))
}

func TestACutLineLosesDatagramsUntilItIsRestored(t *testing.T) {
	r := newRig(t, 1, latency(10*ms), latency(10*ms))
	r.up(0, "in flight")
	r.lines[0].Cut()
	assert.True(t, r.lines[0].IsCut())
	r.up(0, "lost")
	r.down(0, "lost")
	r.up(1, "of another line")
	r.clock.Advance(10 * ms)
	assert.Equal(t, []string{"in flight", "of another line"}, r.received(r.server))
	r.lines[0].Restore()
	r.up(0, "again")
	r.down(0, "back")
	r.clock.Advance(10 * ms)
	assert.Equal(t, []string{"again"}, r.received(r.server))
	assert.Equal(t, []string{"back"}, r.received(r.clients[0]))
}

func TestALinkChangesForLaterDatagrams(t *testing.T) {
	r := newRig(t, 1, latency(50*ms))
	r.up(0, "old")
	require.NoError(t, r.lines[0].SetLink(latency(10*ms)))
	r.up(0, "new")
	r.clock.Advance(10 * ms)
	assert.Equal(t, []string{"new"}, r.received(r.server))
	r.clock.Advance(40 * ms)
	assert.Equal(t, []string{"old"}, r.received(r.server))

	err := r.lines[0].SetLink(netsim.Link{Down: conditioner.Config{Loss: 2}})
	assert.ErrorContains(t, err, "Config.Loss is 2")
	assert.Equal(t, latency(10*ms), r.lines[0].Link())
}

func TestGoodbyeOfAClosedClientStillArrives(t *testing.T) {
	r := newRig(t, 1, latency(10*ms))
	r.up(0, "goodbye")
	r.down(0, "to nobody")
	require.NoError(t, r.clients[0].Close())
	r.clock.Advance(10 * ms)
	assert.Equal(t, []string{"goodbye"}, r.received(r.server))
	assert.Zero(t, r.network.InFlight())

	sent, err := r.server.Send([]transport.Datagram{{Addr: r.clients[0].LocalAddr(), Data: []byte("x")}})
	require.NoError(t, err)
	assert.Zero(t, sent)
}

func TestInFlightDatagramsToAClosedServerAreLost(t *testing.T) {
	r := newRig(t, 1, latency(10*ms))
	r.up(0, "too late")
	require.NoError(t, r.server.Close())
	assert.Zero(t, r.network.InFlight())
}

// The same seed and the same calls give the same run. Another seed gives another run.
func TestSeedDecidesTheRun(t *testing.T) {
	bad := netsim.Symmetric(conditioner.Config{
		Latency: 40 * ms, Jitter: 20 * ms, Loss: 0.2, Duplicate: 0.1, Reorder: 0.1,
	})
	run := func(seed uint64) (log []string) {
		r := newRig(t, seed, bad, bad, bad)
		for tick := range 200 {
			for i := range r.clients {
				r.up(i, fmt.Sprint("up", i, tick))
				r.down(i, fmt.Sprint("down", i, tick))
			}
			r.clock.Advance(16 * ms)
			log = append(log, r.received(r.server)...)
			for _, c := range r.clients {
				log = append(log, r.received(c)...)
			}
		}
		return log
	}
	first := run(7)
	assert.Greater(t, len(first), 800)
	assert.Equal(t, first, run(7))
	assert.NotEqual(t, first, run(8))
}

func TestLinesOfOneNetworkFareDifferently(t *testing.T) {
	lossy := netsim.Symmetric(conditioner.Config{Loss: 0.5})
	r := newRig(t, 1, lossy, lossy)
	for i := range 64 {
		r.down(0, fmt.Sprint(i))
		r.down(1, fmt.Sprint(i))
	}
	assert.NotEqual(t, r.received(r.clients[0]), r.received(r.clients[1]))
}

func TestNetworkAllocatesNothingInSteadyState(t *testing.T) {
	r := newRig(t, 1, latency(40*ms), latency(40*ms))
	buf, got := make([]byte, entangle.MaxDatagram), 0
	up := []transport.Datagram{{Addr: r.server.LocalAddr(), Data: []byte("up")}}
	frame := func() {
		for _, c := range r.clients {
			_, _ = c.Send(up)
		}
		r.clock.Advance(16 * ms)
		for {
			if _, _, err := r.server.Receive(buf); err != nil {
				return
			}
			got++
		}
	}
	for range 10 {
		frame()
	}
	assert.Zero(t, alloctest.Count(100, frame))
	assert.Positive(t, got)
}

func TestMisuseOfANetworkSaysWhatToDo(t *testing.T) {
	clock := &netsim.Clock{}
	n := netsim.NewNetwork(1, clock.Now)
	_, err := n.Line().Dial(netip.MustParseAddrPort("127.0.0.1:40000"))
	assert.EqualError(t, err, "netsim: 127.0.0.1:40000 is no address of a network; dial what Listener.Addr returns")
	l := n.Listener()
	_, err = l.Listen()
	require.NoError(t, err)
	_, err = l.Listen()
	assert.ErrorContains(t, err, "close that Conn first")
	assert.PanicsWithValue(t, "netsim: the clock cannot be advanced by -1s; virtual time does not run back",
		func() { clock.Advance(-time.Second) })
}
