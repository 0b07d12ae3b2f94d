package transporttest

import (
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport"
)

// checkPeerVanishes closes one side after the other and sends to the closed one. On
// sockets, the network answers that with errors.
func checkPeerVanishes(b *bench) {
	client, addr := b.meet()
	b.closeConn(client)
	b.hammer(b.server, transport.Datagram{Addr: addr, Data: []byte("anybody?")})
	other, otherAddr := b.meet()
	b.carry(b.server, otherAddr, other, []byte("still served"))
	old := b.server.LocalAddr()
	b.closeConn(b.server)
	last := transport.Datagram{Addr: old, Data: []byte("anybody?")}
	if slices.Contains(b.traits, Connected) {
		b.expectBreak(other, last)
		return
	}
	b.hammer(other, last)
}

// expectBreak fails the check unless a client's Conn breaks for good when its server closes.
func (b *bench) expectBreak(c transport.Conn, d transport.Datagram) {
	b.t.Helper()
	buf := make([]byte, entangle.MaxDatagram)
	for range b.tries() {
		_, _ = c.Send([]transport.Datagram{d})
		_, _, err := c.Receive(buf)
		if err == nil || errors.Is(err, transport.ErrEmpty) {
			time.Sleep(resendAfter)
			continue
		}
		b.failIf(errors.Is(err, transport.ErrClosed),
			"Receive after the server has gone returned %v; want an error that tells it from a Close of this end", err)
		_, _, again := c.Receive(buf)
		b.failIf(again == nil || errors.Is(again, transport.ErrEmpty),
			"Receive returned %v and then %v; want the first to be final", err, again)
		return
	}
	b.t.Fatalf("a client of a connected transport did not find out that its server is gone")
}

// hammer sends and receives in turn; neither may fail.
func (b *bench) hammer(c transport.Conn, d transport.Datagram) {
	b.t.Helper()
	for range 20 {
		b.sendDatagram(c, d.Addr, d.Data)
		b.pause()
		b.receiveDatagram(c)
	}
}

func checkClosed(b *bench) {
	client, addr := b.meet()
	b.sendDatagram(b.server, addr, []byte("waits"))
	b.carry(b.server, addr, client, []byte("waits no more"))
	b.sendDatagram(b.server, addr, []byte("waits when it is closed"))
	for _, c := range []transport.Conn{client, b.server} {
		before := c.LocalAddr()
		for range 3 {
			b.closeConn(c)
		}
		b.expectClosed(c)
		b.failIf(c.LocalAddr() != before, "LocalAddr was %v and is %v after Close", before, c.LocalAddr())
	}
}

// expectClosed fails the check unless both directions return ErrClosed.
func (b *bench) expectClosed(c transport.Conn) {
	b.t.Helper()
	n, _, err := c.Receive(make([]byte, entangle.MaxDatagram))
	b.failIf(n != 0 || !errors.Is(err, transport.ErrClosed), "Receive after Close returned %d, %v; want 0, ErrClosed", n, err)
	batch := []transport.Datagram{{Addr: b.server.LocalAddr(), Data: []byte("late")}}
	sent, err := c.Send(batch)
	b.failIf(sent != 0 || !errors.Is(err, transport.ErrClosed), "Send after Close returned %d, %v; want 0, ErrClosed", sent, err)
}

// checkCloseWhileInUse closes a Conn while another goroutine drives it.
func checkCloseWhileInUse(b *bench) {
	client, addr := b.meet()
	var running, ended sync.WaitGroup
	for _, end := range []struct {
		conn transport.Conn
		to   transport.Datagram
	}{
		{client, transport.Datagram{Addr: b.server.LocalAddr(), Data: []byte("up")}},
		{b.server, transport.Datagram{Addr: addr, Data: []byte("down")}},
	} {
		running.Add(1)
		ended.Go(func() {
			err := driveUntilError(end.conn, end.to, running.Done)
			if !errors.Is(err, transport.ErrClosed) {
				b.t.Errorf("a Conn closed while in use returned %v; want ErrClosed", err)
			}
		})
	}
	running.Wait()
	b.within("Close of a Conn in use", func() {
		if err := errors.Join(client.Close(), b.server.Close()); err != nil {
			b.t.Errorf("Close of a Conn in use: %v", err)
		}
	})
	b.within("the goroutine that drives a closed Conn", ended.Wait)
}

func driveUntilError(c transport.Conn, d transport.Datagram, started func()) error {
	buf := make([]byte, entangle.MaxDatagram)
	for i := 0; ; i++ {
		if _, err := c.Send([]transport.Datagram{d}); err != nil {
			return err
		}
		if _, _, err := c.Receive(buf); err != nil && !errors.Is(err, transport.ErrEmpty) {
			return err
		}
		if i == 10 {
			started()
		}
	}
}

// checkOpensAgain restarts the server and then the client.
func checkOpensAgain(b *bench) {
	b.meet()
	b.closeConn(b.server)
	b.server = b.listen()
	client, addr := b.meet()
	b.carry(b.server, addr, client, []byte("from the server that came back"))
	b.closeConn(client)
	client, addr = b.meet()
	b.carry(b.server, addr, client, []byte("for the client that came back"))
}
