package transporttest

import (
	"bytes"
	"errors"
	"iter"
	"net/netip"
	"testing"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport"
)

const (
	// patience is how long a check waits before it fails. It is long, because a busy
	// machine must not fail a good transport.
	patience = 10 * time.Second

	// resendAfter is when a datagram that did not arrive is sent again. It is short,
	// because a transport may need another call to move the datagrams it holds.
	resendAfter = 5 * time.Millisecond

	// pollEvery is the pause between two polls of a Conn.
	pollEvery = 50 * time.Microsecond
)

// bench holds the ends of one check.
type bench struct {
	t        testing.TB
	listener transport.Listener
	dialer   transport.Dialer
	server   transport.Conn
	patience time.Duration
	traits   []Trait
}

func newBench(t testing.TB, open Open, patience time.Duration, traits ...Trait) *bench {
	t.Helper()
	b := &bench{t: t, patience: patience, traits: traits}
	b.listener, b.dialer = open(t)
	b.server = b.listen()
	return b
}

// failIf ends the check with a message if something is wrong.
func (b *bench) failIf(wrong bool, format string, args ...any) {
	b.t.Helper()
	if wrong {
		b.t.Fatalf(format, args...)
	}
}

// closeConn closes a Conn and fails the check if Close returns an error.
func (b *bench) closeConn(c transport.Conn) {
	b.t.Helper()
	err := c.Close()
	b.failIf(err != nil, "Close: %v; want nil, also the second time", err)
}

func (b *bench) listen() transport.Conn {
	b.t.Helper()
	c, err := b.listener.Listen()
	b.failIf(err != nil, "Listen: %v", err)
	b.t.Cleanup(func() { _ = c.Close() })
	return c
}

func (b *bench) dial() transport.Conn {
	b.t.Helper()
	c, err := b.dialer.Dial(b.server.LocalAddr())
	b.failIf(err != nil, "Dial(%v): %v", b.server.LocalAddr(), err)
	b.t.Cleanup(func() { _ = c.Close() })
	return c
}

// meet dials and returns the client with its address as seen by the server.
func (b *bench) meet() (client transport.Conn, addr netip.AddrPort) {
	b.t.Helper()
	client = b.dial()
	hello := []byte("hello from " + client.LocalAddr().String())
	return client, b.carry(client, b.server.LocalAddr(), b.server, hello)
}

// sendBatch sends datagrams and fails the check if Send returns an error.
func (b *bench) sendBatch(from transport.Conn, batch []transport.Datagram) {
	b.t.Helper()
	sent, err := from.Send(batch)
	b.failIf(err != nil || sent < 0 || sent > len(batch),
		"Send of %d datagrams returned %d, %v; want 0 to %d without an error", len(batch), sent, err, len(batch))
}

func (b *bench) sendDatagram(from transport.Conn, to netip.AddrPort, data []byte) {
	b.t.Helper()
	b.sendBatch(from, []transport.Datagram{{Addr: to, Data: data}})
}

// carry sends data repeatedly until it arrives unchanged at the other end, and returns the
// sender's address as seen there.
func (b *bench) carry(from transport.Conn, to netip.AddrPort, at transport.Conn, data []byte) netip.AddrPort {
	b.t.Helper()
	deadline := time.Now().Add(b.patience)
	for time.Now().Before(deadline) {
		b.sendDatagram(from, to, data)
		if addr, ok := b.await(at, data, resendAfter); ok {
			return addr
		}
	}
	b.t.Fatalf("a datagram of %d bytes from %v to %v did not arrive within %v", len(data), from.LocalAddr(), to, b.patience)
	return netip.AddrPort{}
}

// await receives until want has arrived; other datagrams are dropped. It polls at least
// once, and for at most d.
func (b *bench) await(at transport.Conn, want []byte, d time.Duration) (netip.AddrPort, bool) {
	b.t.Helper()
	deadline := time.Now().Add(d)
	for {
		data, from, ok := b.receiveDatagram(at)
		switch {
		case ok && bytes.Equal(data, want):
			return from, true
		case ok:
		case time.Now().After(deadline):
			return netip.AddrPort{}, false
		default:
			b.pause()
		}
	}
}

// receiveDatagram returns the next datagram, if one waits. It admits each sender as a client, if
// the transport is an Admitter.
func (b *bench) receiveDatagram(at transport.Conn) (data []byte, from netip.AddrPort, ok bool) {
	b.t.Helper()
	buf := make([]byte, entangle.MaxDatagram)
	n, from, err := at.Receive(buf)
	if errors.Is(err, transport.ErrEmpty) {
		return nil, from, false
	}
	b.failIf(err != nil, "Receive at %v: %v; want a datagram or ErrEmpty", at.LocalAddr(), err)
	b.failIf(n < 0 || n > len(buf), "Receive into %d bytes returned n = %d", len(buf), n)
	if a, ok := at.(transport.Admitter); ok {
		a.Admit(from)
	}
	return buf[:n], from, true
}

// received yields the datagrams that wait; see receiveDatagram.
func (b *bench) received(at transport.Conn) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for data, _, ok := b.receiveDatagram(at); ok && yield(data); {
			data, _, ok = b.receiveDatagram(at)
		}
	}
}

// tries is how often a datagram is sent before the check fails.
func (b *bench) tries() int { return int(b.patience / resendAfter) }

// pause lets other goroutines and the kernel have a turn.
func (b *bench) pause() { time.Sleep(pollEvery) }

// within fails the check if f has not returned after patience.
func (b *bench) within(what string, f func()) {
	b.t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(b.patience):
		b.t.Fatalf("%s has not returned after %v", what, b.patience)
	}
}
