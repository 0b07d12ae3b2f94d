package transporttest

import (
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/memory"
)

// recorder is a testing.TB that records a failure.
type recorder struct {
	testing.TB
	mu      sync.Mutex
	failure string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failure = fmt.Sprintf(format, args...)
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// failureOf runs one check and returns its failure.
func failureOf(t *testing.T, c check, open Open, traits ...Trait) string {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.run(newBench(r, open, 300*time.Millisecond, traits...))
	}()
	<-done
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failure
}

// faulty is a memory transport with one fault.
type faulty struct {
	transport.Conn
	send    func(inner transport.Conn, batch []transport.Datagram) (int, error)
	receive func(inner transport.Conn, buf []byte) (int, netip.AddrPort, error)
	close   func(inner transport.Conn) error
}

func (f faulty) Send(batch []transport.Datagram) (int, error) {
	if f.send != nil {
		return f.send(f.Conn, batch)
	}
	return f.Conn.Send(batch)
}

func (f faulty) Receive(buf []byte) (int, netip.AddrPort, error) {
	if f.receive != nil {
		return f.receive(f.Conn, buf)
	}
	return f.Conn.Receive(buf)
}

func (f faulty) Close() error {
	if f.close != nil {
		return f.close(f.Conn)
	}
	return f.Conn.Close()
}

type listenFunc func() (transport.Conn, error)

func (f listenFunc) Listen() (transport.Conn, error) { return f() }

type dialFunc func(netip.AddrPort) (transport.Conn, error)

func (f dialFunc) Dial(server netip.AddrPort) (transport.Conn, error) { return f(server) }

// with opens memory transports with the fault in all ends.
func with(fault func() faulty) Open {
	wrap := func(c transport.Conn, err error) (transport.Conn, error) {
		f := fault()
		f.Conn = c
		return f, err
	}
	return func(testing.TB) (transport.Listener, transport.Dialer) {
		n := memory.NewNetwork()
		l, d := n.Listener(), n.Dialer()
		return listenFunc(func() (transport.Conn, error) { return wrap(l.Listen()) }),
			dialFunc(func(server netip.AddrPort) (transport.Conn, error) { return wrap(d.Dial(server)) })
	}
}

var errWrong = errors.New("wrong")

// faults has a faulty transport for each check, by the check's name.
var faults = map[string]Open{
	"Addresses": with(func() faulty {
		return faulty{receive: func(c transport.Conn, buf []byte) (int, netip.AddrPort, error) {
			n, _, err := c.Receive(buf)
			return n, netip.MustParseAddrPort("[::ffff:192.0.2.1]:7"), err
		}}
	}),
	"SizesArriveWhole": with(func() faulty { return faulty{send: cutAt(1000)} }),
	"BatchArrives": with(func() faulty {
		return faulty{send: func(c transport.Conn, batch []transport.Datagram) (int, error) {
			return c.Send(batch[:min(1, len(batch))])
		}}
	}),
	"ReceiveNeverBlocks": with(func() faulty {
		return faulty{receive: func(c transport.Conn, buf []byte) (int, netip.AddrPort, error) {
			for {
				n, from, err := c.Receive(buf)
				if !errors.Is(err, transport.ErrEmpty) {
					return n, from, err
				}
				runtime.Gosched()
			}
		}}
	}),
	"SendNeverBlocks":            with(func() faulty { return faulty{send: allOrError} }),
	"SendKeepsNothing":           with(func() faulty { return faulty{send: oneLate()} }),
	"TooLargeForBufferIsDropped": with(func() faulty { return faulty{receive: cut} }),
	"PeersAreToldApart": with(func() faulty {
		return faulty{send: func(c transport.Conn, batch []transport.Datagram) (int, error) {
			for i := range batch {
				_, _ = c.Send([]transport.Datagram{{Addr: batch[i].Addr, Data: batch[0].Data}})
			}
			return len(batch), nil
		}}
	}),
	"ClientHearsItsServerOnly": func(testing.TB) (transport.Listener, transport.Dialer) {
		n := memory.NewNetwork()
		return n.Listener(), dialFunc(func(netip.AddrPort) (transport.Conn, error) { return n.Listener().Listen() })
	},
	"UnreachablePeersAreLoss": with(func() faulty { return faulty{send: allOrError} }),
	"PeerMayVanish":           with(func() faulty { return faulty{send: allOrError} }),
	"ClosedConnRefuses": with(func() faulty {
		return faulty{close: func(c transport.Conn) error {
			_, err := c.Send(nil)
			return errors.Join(err, c.Close())
		}}
	}),
	"CloseWhileInUse": with(func() faulty {
		return faulty{
			receive: func(c transport.Conn, buf []byte) (int, netip.AddrPort, error) {
				n, from, err := c.Receive(buf)
				return n, from, otherThanClosed(err)
			},
			send: func(c transport.Conn, batch []transport.Datagram) (int, error) {
				n, err := c.Send(batch)
				return n, otherThanClosed(err)
			},
		}
	}),
	"ClientsKeepTheirRoom": func(testing.TB) (transport.Listener, transport.Dialer) {
		n := memory.NewNetwork()
		l, d := n.Listener(), n.Dialer()
		return listenFunc(func() (transport.Conn, error) {
			c, err := l.Listen()
			return admitting{c, map[netip.AddrPort]bool{}}, err // reserves no room
		}), d
	},
	"OpensAgain": with(func() faulty { return faulty{close: func(transport.Conn) error { return nil }} }),
}

func otherThanClosed(err error) error {
	if errors.Is(err, transport.ErrClosed) {
		return errWrong
	}
	return err
}

func cutAt(size int) func(transport.Conn, []transport.Datagram) (int, error) {
	return func(c transport.Conn, batch []transport.Datagram) (int, error) {
		for _, d := range batch {
			_, _ = c.Send([]transport.Datagram{{Addr: d.Addr, Data: d.Data[:min(size, len(d.Data))]}})
		}
		return len(batch), nil
	}
}

// allOrError returns an error if a datagram is lost.
func allOrError(c transport.Conn, batch []transport.Datagram) (int, error) {
	sent, err := c.Send(batch)
	if err == nil && sent < len(batch) {
		err = errWrong
	}
	return sent, err
}

// oneLate delays each batch until the next call.
func oneLate() func(transport.Conn, []transport.Datagram) (int, error) {
	var late []transport.Datagram
	return func(c transport.Conn, batch []transport.Datagram) (int, error) {
		_, err := c.Send(late)
		late = append(late[:0], batch...)
		return len(batch), err
	}
}

// cut returns the head of a datagram that does not fit into buf.
func cut(c transport.Conn, buf []byte) (int, netip.AddrPort, error) {
	whole := make([]byte, 2000)
	n, from, err := c.Receive(whole)
	return copy(buf, whole[:n]), from, err
}

func TestEveryCheckPassesASoundTransport(t *testing.T) {
	sound := with(func() faulty { return faulty{} })
	for _, c := range checks {
		assert.Empty(t, failureOf(t, c, sound), c.name)
	}
}

func TestEveryCheckFindsItsFault(t *testing.T) {
	for _, c := range checks {
		require.Contains(t, faults, c.name)
		assert.NotEmpty(t, failureOf(t, c, faults[c.name], KeepsRoom), c.name)
	}
}

// breaking is a correct transport, except that clients' ends return the error of follow
// once the server is closed.
func breaking(follow func() error) Open {
	return func(testing.TB) (transport.Listener, transport.Dialer) {
		n := memory.NewNetwork()
		l, d := n.Listener(), n.Dialer()
		var gone bool
		listen := func() (transport.Conn, error) {
			c, err := l.Listen()
			return faulty{Conn: c, close: func(inner transport.Conn) error {
				gone = true
				return inner.Close()
			}}, err
		}
		dial := func(server netip.AddrPort) (transport.Conn, error) {
			c, err := d.Dial(server)
			return faulty{Conn: c, receive: func(inner transport.Conn, buf []byte) (int, netip.AddrPort, error) {
				if gone {
					return 0, netip.AddrPort{}, follow()
				}
				return inner.Receive(buf)
			}}, err
		}
		return listenFunc(listen), dialFunc(dial)
	}
}

func TestAConnectedTransportBreaksForGood(t *testing.T) {
	calls := 0
	ends := map[string]func() error{
		"":                 func() error { return errWrong },
		"want an error":    func() error { return transport.ErrClosed },
		"did not find out": func() error { return transport.ErrEmpty },
		"the first to be fin": func() error {
			if calls++; calls == 1 {
				return errWrong
			}
			return transport.ErrEmpty
		},
	}
	vanish := check{"PeerMayVanish", checkPeerVanishes}
	for says, follow := range ends {
		got := failureOf(t, vanish, breaking(follow), Connected)
		assert.Contains(t, got, says)
		assert.Equal(t, says == "", got == "", got)
	}
	assert.NotEmpty(t, failureOf(t, vanish, breaking(ends[""])), "without the trait")
}

// admitting is a memory transport that is an Admitter.
type admitting struct {
	transport.Conn
	admitted map[netip.AddrPort]bool
}

func (c admitting) Admit(addr netip.AddrPort) { c.admitted[addr] = true }

func (c admitting) Dismiss(netip.AddrPort) {}

func TestSendersAreAdmitted(t *testing.T) {
	n := memory.NewNetwork()
	l, d := n.Listener(), n.Dialer()
	server := admitting{admitted: map[netip.AddrPort]bool{}}
	b := newBench(t, func(testing.TB) (transport.Listener, transport.Dialer) {
		return listenFunc(func() (_ transport.Conn, err error) {
			server.Conn, err = l.Listen()
			return server, err
		}), d
	}, patience)
	_, addr := b.meet()
	assert.Equal(t, map[netip.AddrPort]bool{addr: true}, server.admitted)
}
