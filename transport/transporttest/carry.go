package transporttest

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport"
)

// pattern returns n bytes that differ with seed and place.
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

// checkBatch sends runs of equal and unequal sizes at once, which a transport
// that joins datagrams into one system call must take apart again.
func checkBatch(b *bench) {
	client, addr := b.meet()
	sizes := []int{300, 300, 300, 120, 300, 300, 1, 1, 1150, 1150, 1150, 40}
	batch := make([]transport.Datagram, len(sizes))
	for i, size := range sizes {
		batch[i] = transport.Datagram{Addr: addr, Data: pattern(i+3, size)}
	}
	sent, err := b.server.Send(batch)
	if err != nil || sent < 0 || sent > len(batch) {
		b.t.Fatalf("Send of %d datagrams returned %d, %v", len(batch), sent, err)
	}
	missing := 0
	for _, d := range batch {
		if _, ok := b.await(client, d.Data, resendAfter); !ok {
			missing++
		}
	}
	if missing > len(batch)/2 {
		b.t.Fatalf("%d of %d datagrams of one batch arrived changed, out of order or not at all", missing, len(batch))
	}
	if sent, err := b.server.Send(nil); sent != 0 || err != nil {
		b.t.Fatalf("Send of no datagrams returned %d, %v; want 0 and no error", sent, err)
	}
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
			if sent, err := b.server.Send(batch); err != nil || sent < 0 || sent > len(batch) {
				b.t.Errorf("Send of %d datagrams to a peer that does not receive returned %d, %v; want no error", len(batch), sent, err)
				return
			}
		}
	})
}

func checkSendKeepsNothing(b *bench) {
	client, addr := b.meet()
	for i := range 20 {
		want := fmt.Appendf(nil, "datagram %d", i)
		data := bytes.Clone(want)
		for tries := 0; ; tries++ {
			copy(data, want)
			b.send(b.server, addr, data)
			clear(data)
			if _, ok := b.await(client, want, resendAfter); ok {
				break
			}
			if tries == int(patience/resendAfter) {
				b.t.Fatalf("a datagram arrived changed or not at all after its buffer was used again; Send must not keep it")
			}
		}
	}
}

func checkTooLargeForBuffer(b *bench) {
	client, addr := b.meet()
	large, small := pattern(1, 500), pattern(2, 100)
	buf := make([]byte, 499)
	for range int(patience / resendAfter) {
		b.send(b.server, addr, large)
		b.send(b.server, addr, small)
		for range 1000 {
			n, _, err := client.Receive(buf)
			if err != nil && !errors.Is(err, transport.ErrEmpty) {
				b.t.Fatalf("Receive of a datagram that does not fit returned %v; want it dropped, and ErrEmpty or the next one", err)
			}
			if err == nil && n != len(small) {
				b.t.Fatalf("Receive into %d bytes returned %d of a datagram of %d; want it dropped", len(buf), n, len(large))
			}
			if err == nil {
				return
			}
			b.pause()
		}
	}
	b.t.Fatalf("a datagram behind one that did not fit never arrived")
}
