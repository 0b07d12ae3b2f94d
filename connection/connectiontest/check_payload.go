package connectiontest

import (
	"bytes"
	"encoding/binary"
	"sync"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
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
	c := b.connectClient(7)
	for i, size := range []int{1, 2, 17, 255, 256, 1000, entangle.MaxPayload - 1, entangle.MaxPayload} {
		b.up(c, pattern(i, size))
		b.down(c, pattern(i+50, size))
	}
}

// checkOnce sends many payloads and counts those that arrive. Before it sends more, it waits until
// most of the earlier ones have arrived, because a short queue overflows on a busy machine.
func checkOnce(b *bench) {
	c := b.connectClient(7)
	arrived := func(events []connection.Event) int {
		seen := map[uint32]bool{}
		for _, e := range events {
			if e.Kind == connection.Payload {
				n := binary.LittleEndian.Uint32(e.Payload)
				b.failIf(seen[n], "payload %d arrived twice", n)
				seen[n] = true
			}
		}
		return len(seen)
	}
	const count, batch = 500, 25
	for sent := 0; sent < count; {
		for range batch {
			payload := binary.LittleEndian.AppendUint32(nil, uint32(sent))
			c.Send(payload, b.now())
			b.server.Send(c.slot, payload, b.now())
			sent++
		}
		b.until("most payloads arrive", func() bool { return arrived(b.events) > sent/2 && arrived(c.events) > sent/2 })
	}
	for range 20 {
		b.runFrame()
	}
	arrived(b.events)
	arrived(c.events)
}

// checkSendKeepsNothing overwrites every buffer as soon as Send has returned.
func checkSendKeepsNothing(b *bench) {
	c := b.connectClient(7)
	wiping := func(send func([]byte)) func([]byte) {
		return func(p []byte) {
			kept := bytes.Clone(p)
			send(kept)
			clear(kept)
		}
	}
	whole := func(events []connection.Event) []connection.Event {
		b.failIf(got(events, make([]byte, 100)), "a payload arrived as its buffer was after Send; Send must not keep it")
		return events
	}
	b.carry("a payload arrives even if its buffer is overwritten after Send", pattern(1, 100), wiping(func(p []byte) { c.Send(p, b.now()) }),
		func() []connection.Event { return whole(b.events) })
	b.carry("a payload arrives even if its buffer is overwritten after Send", pattern(2, 100), wiping(func(p []byte) { b.server.Send(c.slot, p, b.now()) }),
		func() []connection.Event { return whole(c.events) })
}

// checkSlots sends each of several clients a payload of its own.
func checkSlots(b *bench) {
	for id := range entangle.ClientID(slots) {
		b.connectClient(id + 1)
	}
	for i, c := range b.clients {
		b.down(c, pattern(i, 40))
		b.up(c, pattern(i+10, 40))
	}
	for i, c := range b.clients {
		for j := range b.clients {
			b.failIf(i != j && got(c.events, pattern(j, 40)),
				"client %d received a payload for the slot of client %d", c.id, b.clients[j].id)
		}
	}
	for _, e := range b.events {
		for i, c := range b.clients {
			b.failIf(e.Kind == connection.Payload && bytes.Equal(e.Payload, pattern(i+10, 40)) && e.Slot != c.slot,
				"a payload of slot %d is returned as one of slot %d", c.slot, e.Slot)
		}
	}
}

// checkGoroutines sends to different slots at once.
func checkGoroutines(b *bench) {
	for id := range entangle.ClientID(slots) {
		b.connectClient(id + 1)
	}
	now := b.now()
	for round := range 10 {
		var all sync.WaitGroup
		for i, c := range b.clients {
			all.Go(func() {
				for n := range 20 {
					b.server.Send(c.slot, pattern(i, 10+n), now)
					b.server.Overhead(c.slot)
					b.server.Sent(c.slot)
				}
			})
		}
		all.Wait()
		for range round {
			b.runFrame()
		}
	}
	for i, c := range b.clients {
		b.until("most payloads of several goroutines arrive", func() bool { return got(c.events, pattern(i, 15)) })
	}
}

func checkCounters(b *bench) {
	c := b.connectClient(7)
	before, sent := b.server.Traffic(), b.server.Sent(c.slot)
	b.down(c, pattern(1, 500))
	b.up(c, pattern(2, 500))
	after := b.server.Traffic()
	b.failIf(after.BytesOut < before.BytesOut+500 || after.PacketsOut <= before.PacketsOut,
		"Traffic of the server says %v before and %v after 500 bytes were sent", before, after)
	b.failIf(after.BytesIn < before.BytesIn+500 || after.PacketsIn <= before.PacketsIn,
		"Traffic of the server says %v before and %v after 500 bytes were received", before, after)
	b.failIf(b.server.Sent(c.slot) < sent+500, "Sent says %d before and %d after 500 bytes were sent", sent, b.server.Sent(c.slot))
	b.failIf(b.server.Overhead(c.slot) < 0, "Overhead says %d", b.server.Overhead(c.slot))
	b.failIf(c.Traffic().BytesIn < 500 || c.Traffic().BytesOut < 500,
		"Traffic of the client says %v after 500 bytes each way", c.Traffic())
	first := b.server.AppendDropped(nil)
	b.runFrame()
	for i, d := range b.server.AppendDropped(nil) {
		b.failIf(i >= len(first) || d.Reason != first[i].Reason || d.Count < first[i].Count,
			"AppendDropped changes its reasons or counts down: %v, then %v", first, d)
	}
}
