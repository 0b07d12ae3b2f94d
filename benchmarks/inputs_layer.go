package main

import (
	"net/netip"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
)

// inputLayer is a connection layer in memory: what is sent is there inputWay ticks later, unsealed.
// It is its own listener and server; each of its ends is its own dialer and client.
type inputLayer struct {
	ends []*inputEnd
	tick *entangle.Tick // of the game that moves it on
	turn int            // whose payloads come next
	part int            // which of them
	told int            // clients that have been let in
}

// inputEnd is a client of the layer.
type inputEnd struct {
	layer    *inputLayer
	down, up sceneLine
	told     bool
	part     int
	in, out  int // bytes
}

func newInputLayer(clients int, tick *entangle.Tick) *inputLayer {
	l := &inputLayer{tick: tick}
	for range clients {
		l.ends = append(l.ends, &inputEnd{layer: l, down: newSceneLine(inputWay), up: newSceneLine(inputWay)})
	}
	return l
}

// next makes room for what is sent in a new tick.
func (l *inputLayer) next() {
	*l.tick++
	l.turn, l.part = 0, 0
	for _, e := range l.ends {
		e.part = 0
		e.down.clear(*l.tick)
		e.up.clear(*l.tick)
	}
}

// arrived are the payloads that a client's end has for the server in this tick.
func (e *inputEnd) arrived() *sceneBag { return e.up.due(*e.layer.tick) }

// Listen implements connection.Listener.
func (l *inputLayer) Listen(connection.ServerConfig) (connection.Server, error) { return l, nil }

// Addrs implements connection.Server.
func (l *inputLayer) Addrs() []netip.AddrPort { return nil }

// Receive implements connection.Server.
func (l *inputLayer) Receive(time.Time) (connection.Event, error) {
	if l.told < len(l.ends) {
		l.told++
		return connection.Event{Kind: connection.Connected, Slot: l.told - 1, Client: clientID(l.told - 1), Name: "player"}, nil
	}
	for ; l.turn < len(l.ends); l.turn, l.part = l.turn+1, 0 {
		if bag := l.ends[l.turn].arrived(); l.part < len(bag.ends) {
			l.part++
			return connection.Event{Kind: connection.Payload, Slot: l.turn, Payload: bag.packet(l.part - 1)}, nil
		}
	}
	return connection.Event{}, connection.ErrEmpty
}

// Send implements connection.Server.
func (l *inputLayer) Send(slot int, payload []byte, _ time.Time) {
	e := l.ends[slot]
	e.in += len(payload)
	e.down.add(*l.tick, payload)
}

// Flush implements connection.Server.
func (l *inputLayer) Flush() error { return nil }

// Disconnect implements connection.Server.
func (l *inputLayer) Disconnect(int, string, time.Time) {}

// Close implements connection.Server.
func (l *inputLayer) Close(string, time.Time) error { return nil }

// Sent implements connection.Server.
func (l *inputLayer) Sent(slot int) uint64 { return uint64(l.ends[slot].in) }

// Overhead implements connection.Server.
func (l *inputLayer) Overhead(int) int { return 0 }

// Traffic implements connection.Server.
func (l *inputLayer) Traffic() connection.Traffic { return connection.Traffic{} }

// AppendDropped implements connection.Server.
func (l *inputLayer) AppendDropped(dst []connection.Dropped) []connection.Dropped { return dst }

// Dial implements connection.Dialer.
func (e *inputEnd) Dial(connection.ClientConfig) (connection.Client, error) {
	return inputClient{e}, nil
}

// inputClient is the client's view of its end.
type inputClient struct{ end *inputEnd }

// Receive implements connection.Client.
func (c inputClient) Receive(time.Time) (connection.Event, error) {
	e := c.end
	if !e.told {
		e.told = true
		return connection.Event{Kind: connection.Connected}, nil
	}
	if bag := e.down.due(*e.layer.tick); e.part < len(bag.ends) {
		e.part++
		return connection.Event{Kind: connection.Payload, Payload: bag.packet(e.part - 1)}, nil
	}
	return connection.Event{}, connection.ErrEmpty
}

// Send implements connection.Client.
func (c inputClient) Send(payload []byte, _ time.Time) {
	c.end.out += len(payload)
	c.end.up.add(*c.end.layer.tick, payload)
}

// Flush implements connection.Client.
func (c inputClient) Flush() error { return nil }

// Close implements connection.Client.
func (c inputClient) Close(string, time.Time) error { return nil }

// Traffic implements connection.Client.
func (c inputClient) Traffic() connection.Traffic { return connection.Traffic{} }

// AppendDropped implements connection.Client.
func (c inputClient) AppendDropped(dst []connection.Dropped) []connection.Dropped { return dst }
