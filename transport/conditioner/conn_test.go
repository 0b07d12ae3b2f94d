package conditioner_test

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
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/conditioner"
	"github.com/entangle-ecs/entangle/transport/memory"
	"github.com/entangle-ecs/entangle/transport/transporttest"
)

func TestConforms(t *testing.T) {
	for name, cfg := range map[string]conditioner.Config{
		"Clear": {},
		"Rough": {Latency: ms / 2, Jitter: ms / 4, Loss: 0.1, Duplicate: 0.1},
	} {
		t.Run(name, func(t *testing.T) {
			transporttest.Run(t, func(testing.TB) (transport.Listener, transport.Dialer) {
				n := memory.NewNetwork()
				o := conditioner.Options{Send: cfg, Receive: cfg, Seed: 1}
				return conditioner.NewListener(n.Listener(), o), conditioner.NewDialer(n.Dialer(), o)
			})
		})
	}
}

// world is a server with clients that are connected by a conditioned memory network, on a virtual
// clock.
type world struct {
	t      testing.TB
	now    time.Time
	dialer *conditioner.Dialer
	server transport.Conn
}

// newWorld adds a conditioner to the clients' ends only, not to the server's.
func newWorld(t testing.TB, o conditioner.Options) *world {
	w := &world{t: t, now: epoch}
	o.Clock = func() time.Time { return w.now }
	n := memory.NewNetwork()
	server, err := n.Listener().Listen()
	require.NoError(t, err)
	w.server, w.dialer = server, conditioner.NewDialer(n.Dialer(), o)
	return w
}

func (w *world) dial() *conditioner.Conn {
	c, err := w.dialer.Dial(w.server.LocalAddr())
	require.NoError(w.t, err)
	return c.(*conditioner.Conn)
}

func (w *world) send(from transport.Conn, to netip.AddrPort, text string) {
	sent, err := from.Send([]transport.Datagram{{Addr: to, Data: []byte(text)}})
	require.NoError(w.t, err)
	require.Equal(w.t, 1, sent)
}

// receive returns all waiting datagrams.
func (w *world) receive(at transport.Conn) (texts []string) {
	buf := make([]byte, entangle.MaxDatagram)
	for {
		n, _, err := at.Receive(buf)
		if errors.Is(err, transport.ErrEmpty) {
			return texts
		}
		require.NoError(w.t, err)
		texts = append(texts, string(buf[:n]))
	}
}

// Proves: P16
func TestDirectionsAreConditionedIndependently(t *testing.T) {
	w := newWorld(t, conditioner.Options{
		Send:    conditioner.Config{Latency: 30 * ms},
		Receive: conditioner.Config{Latency: 70 * ms},
	})
	client := w.dial()
	w.send(client, w.server.LocalAddr(), "up")
	w.send(w.server, client.LocalAddr(), "down")
	upAfter, downAfter := time.Duration(-1), time.Duration(-1)
	for range 200 {
		if len(w.receive(client)) > 0 {
			downAfter = w.now.Sub(epoch)
		}
		if len(w.receive(w.server)) > 0 {
			upAfter = w.now.Sub(epoch)
		}
		w.now = w.now.Add(ms)
	}
	assert.Equal(t, 30*ms, upAfter, "Receive alone moves what is due to the server")
	assert.Equal(t, 70*ms, downAfter, "the delay begins with the Receive that finds it")
	assert.EqualValues(t, 1, client.SendStats().Delivered)
	assert.EqualValues(t, 1, client.ReceiveStats().Delivered)
}

// Proves: P16
func TestLossPerDirection(t *testing.T) {
	w := newWorld(t, conditioner.Options{Send: conditioner.Config{Loss: 1}})
	client := w.dial()
	for range 20 {
		w.send(client, w.server.LocalAddr(), "up")
		w.send(w.server, client.LocalAddr(), "down")
	}
	assert.Len(t, w.receive(client), 20)
	assert.Empty(t, w.receive(w.server))
	assert.EqualValues(t, 20, client.SendStats().Lost)
}

// trace runs a conversation of two clients with an echoing server, and returns it as lines of text.
func trace(t testing.TB, seed uint64) (lines []string) {
	w := newWorld(t, conditioner.Options{Send: rough, Receive: rough, Seed: seed})
	clients := []*conditioner.Conn{w.dial(), w.dial()}
	buf := make([]byte, entangle.MaxDatagram)
	for tick := range 200 {
		for i, c := range clients {
			w.send(c, w.server.LocalAddr(), fmt.Sprintf("%d from %d", tick, i))
			for _, text := range w.receive(c) {
				lines = append(lines, fmt.Sprintf("%d: %d hears %s", tick, i, text))
			}
		}
		for n, from, err := w.server.Receive(buf); err == nil; n, from, err = w.server.Receive(buf) {
			lines = append(lines, fmt.Sprintf("%d: server hears %s", tick, buf[:n]))
			w.send(w.server, from, string(buf[:n]))
		}
		w.now = w.now.Add(16 * ms)
	}
	return lines
}

// Proves: P16
func TestSameSeedSameRunOfANetwork(t *testing.T) {
	for seed := range uint64(5) {
		first := trace(t, seed)
		require.Greater(t, len(first), 100)
		require.Equal(t, first, trace(t, seed), "seed %d", seed)
		require.NotEqual(t, first, trace(t, seed+1))
	}
}

func TestConnsOfOneSeedFareDifferently(t *testing.T) {
	w := newWorld(t, conditioner.Options{Send: conditioner.Config{Loss: 0.5}, Seed: 3})
	var received [2]string
	for i, c := range []*conditioner.Conn{w.dial(), w.dial()} {
		for n := range 64 {
			w.send(c, w.server.LocalAddr(), fmt.Sprint(n, " "))
		}
		received[i] = fmt.Sprint(w.receive(w.server))
	}
	assert.NotEqual(t, received[0], received[1])
}

func TestCloseSendsWhatIsOnItsWay(t *testing.T) {
	w := newWorld(t, conditioner.Options{Send: conditioner.Config{Latency: time.Hour}})
	client := w.dial()
	for i := range 200 {
		w.send(client, w.server.LocalAddr(), fmt.Sprint("goodbye ", i))
	}
	assert.Empty(t, w.receive(w.server))
	require.NoError(t, client.Close())
	got := w.receive(w.server)
	require.Len(t, got, 200)
	assert.Equal(t, "goodbye 199", got[199])
}

func TestConfigureAnOpenConn(t *testing.T) {
	w := newWorld(t, conditioner.Options{})
	client := w.dial()
	cut := conditioner.Config{Loss: 1}
	bad := conditioner.Config{Jitter: -1}
	require.ErrorContains(t, client.Configure(cut, bad), "Config.Jitter")
	require.ErrorContains(t, client.Configure(bad, cut), "Config.Jitter")
	w.send(client, w.server.LocalAddr(), "nothing changed yet")
	assert.Len(t, w.receive(w.server), 1)
	require.NoError(t, client.Configure(cut, cut))
	w.send(client, w.server.LocalAddr(), "lost")
	w.send(w.server, client.LocalAddr(), "lost")
	assert.Empty(t, w.receive(w.server))
	assert.Empty(t, w.receive(client))
}

func TestMistakesComeOutWhenOpened(t *testing.T) {
	n := memory.NewNetwork()
	bad := conditioner.Config{Loss: 7}
	for _, o := range []conditioner.Options{{Send: bad}, {Receive: bad}} {
		_, err := conditioner.NewListener(n.Listener(), o).Listen()
		assert.ErrorContains(t, err, "Config.Loss is 7")
	}
	_, err := conditioner.NewDialer(n.Dialer(), conditioner.Options{}).Dial(peer)
	assert.ErrorContains(t, err, "memory:", "errors of the inner transport come through")
}

func TestConnAllocatesNothing(t *testing.T) {
	w := newWorld(t, conditioner.Options{
		Send:    conditioner.Config{Latency: 20 * ms, Jitter: 5 * ms},
		Receive: conditioner.Config{Latency: 20 * ms, Jitter: 5 * ms},
	})
	client := w.dial()
	up := []transport.Datagram{{Addr: w.server.LocalAddr(), Data: make([]byte, entangle.MaxDatagram)}}
	down := []transport.Datagram{{Addr: client.LocalAddr(), Data: make([]byte, entangle.MaxDatagram)}}
	buf := make([]byte, entangle.MaxDatagram)
	frame := func() {
		w.now = w.now.Add(ms)
		_, _ = client.Send(up)
		_, _ = w.server.Send(down)
		for _, c := range []transport.Conn{client, w.server} {
			for _, _, err := c.Receive(buf); err == nil; _, _, err = c.Receive(buf) {
			}
		}
	}
	for range 2000 {
		frame()
	}
	assert.Zero(t, alloctest.Count(200, frame))
	assert.Positive(t, client.ReceiveStats().Delivered)
}

// filtering is a Conn that records the calls that the layer above makes.
type filtering struct {
	transport.Conn
	record []string
}

func (f *filtering) Admit(addr netip.AddrPort) {
	f.record = append(f.record, fmt.Sprint("admit ", addr))
}

func (f *filtering) Dismiss(addr netip.AddrPort) {
	f.record = append(f.record, fmt.Sprint("dismiss ", addr))
}

func (f *filtering) SetFilter(filter transport.Filter) {
	f.record = append(f.record, fmt.Sprint("filter ", filter(nil, true)))
}

func (f *filtering) Drops() transport.Drops {
	return transport.Drops{Form: 1, StrangersFull: 2, ClientFull: 3}
}

type listening struct{ conn transport.Conn }

func (l listening) Listen() (transport.Conn, error) { return l.conn, nil }

// The calls of the layer above reach an inner Conn that has these methods.
func TestTheInnerConnLearnsOfClients(t *testing.T) {
	plain, err := memory.NewNetwork().Listener().Listen()
	require.NoError(t, err)
	inner := &filtering{Conn: plain}
	for _, conn := range []transport.Conn{inner, plain} {
		c, err := conditioner.NewListener(listening{conn}, conditioner.Options{}).Listen()
		require.NoError(t, err)
		outer := c.(transport.Filterer)
		outer.SetFilter(func([]byte, bool) bool { return true })
		outer.Admit(peer)
		outer.Dismiss(peer)
		if conn == plain {
			assert.Zero(t, outer.Drops())
		} else {
			assert.Equal(t, inner.Drops(), outer.Drops())
		}
	}
	assert.Equal(t, []string{"filter true", "admit 192.0.2.1:7", "dismiss 192.0.2.1:7"}, inner.record)
}
