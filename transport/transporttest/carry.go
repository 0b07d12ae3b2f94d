package transporttest

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport"
)

// pattern returns n bytes that depend on seed and position.
func pattern(seed, n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(i*7 + i>>8 + seed*31)
	}
	return data
}

func checkSizes(b *bench) {
	client, addr := b.meet()
	for _, size := range []int{1, 2, 17, 255, 256, 1000, entangle.MaxDatagram - 1, entangle.MaxDatagram} {
		b.carry(client, b.server.LocalAddr(), b.server, pattern(1, size))
		b.carry(b.server, addr, client, pattern(2, size))
	}
}

// checkBatch sends runs of equal and unequal sizes at once. A transport that joins
// datagrams into one system call must deliver them separately.
func checkBatch(b *bench) {
	client, addr := b.meet()
	sizes := []int{300, 300, 300, 120, 300, 300, 1, 1, 1150, 1150, 1150, 40}
	batch := make([]transport.Datagram, len(sizes))
	for i, size := range sizes {
		batch[i] = transport.Datagram{Addr: addr, Data: pattern(i+3, size)}
	}
	missing := make(map[string]bool)
	for _, d := range batch {
		missing[string(d.Data)] = true
	}
	known := maps.Clone(missing)
	for range b.tries() {
		b.sendBatch(b.server, batch)
		for deadline := time.Now().Add(resendAfter); len(missing) > 0 && time.Now().Before(deadline); b.pause() {
			for data := range b.received(client) {
				b.failIf(!known[string(data)], "%d bytes arrived that match no datagram of the batch", len(data))
				delete(missing, string(data))
			}
		}
		if len(missing) == 0 {
			b.sendBatch(b.server, nil)
			return
		}
	}
	b.t.Fatalf("%d of %d datagrams of one batch never arrived", len(missing), len(batch))
}

func checkReceiveNeverBlocks(b *bench) {
	client := b.dial()
	b.within("Receive with nothing to receive", func() {
		for _, c := range []transport.Conn{b.server, client} {
			n, _, err := c.Receive(make([]byte, entangle.MaxDatagram))
			if n != 0 || !errors.Is(err, transport.ErrEmpty) {
				b.t.Errorf("Receive with nothing to receive returned %d, %v; want 0, ErrEmpty", n, err)
			}
		}
	})
}

// checkSendNeverBlocks sends to a peer that does not receive.
func checkSendNeverBlocks(b *bench) {
	_, addr := b.meet()
	batch := make([]transport.Datagram, 100)
	for i := range batch {
		batch[i] = transport.Datagram{Addr: addr, Data: pattern(i, entangle.MaxDatagram)}
	}
	b.within("Send to a peer that does not receive", func() {
		for range 100 {
			sent, err := b.server.Send(batch)
			if err != nil || sent < 0 || sent > len(batch) {
				b.t.Errorf("Send of %d datagrams to a peer that does not receive returned %d, %v; want no error", len(batch), sent, err)
				return
			}
		}
	})
}

// checkSendKeepsNothing overwrites every buffer as soon as Send has returned.
func checkSendKeepsNothing(b *bench) {
	client, addr := b.meet()
	for i := range 20 {
		want := fmt.Appendf(nil, "datagram %d", i)
		wiped := make([]byte, len(want))
		arrived := false
		for range b.tries() {
			data := bytes.Clone(want)
			b.sendDatagram(b.server, addr, data)
			clear(data)
			for got := range b.received(client) {
				b.failIf(bytes.Equal(got, wiped), "a datagram arrived as its buffer was after Send; Send must not keep it")
				arrived = arrived || bytes.Equal(got, want)
			}
			if arrived {
				break
			}
			b.pause()
		}
		b.failIf(!arrived, "datagram %d never arrived", i)
	}
}

func checkTooLargeForBuffer(b *bench) {
	client, addr := b.meet()
	large, small := pattern(1, 500), pattern(2, 100)
	buf := make([]byte, 499)
	for range b.tries() {
		b.sendDatagram(b.server, addr, large)
		b.sendDatagram(b.server, addr, small)
		for range 1000 {
			n, _, err := client.Receive(buf)
			b.failIf(err != nil && !errors.Is(err, transport.ErrEmpty),
				"Receive of a datagram that does not fit returned %v; want it dropped, and ErrEmpty or the next one", err)
			b.failIf(err == nil && n != len(small),
				"Receive into %d bytes returned %d of a datagram of %d; want it dropped", len(buf), n, len(large))
			if err == nil {
				return
			}
			b.pause()
		}
	}
	b.t.Fatalf("a datagram behind one that did not fit never arrived")
}
