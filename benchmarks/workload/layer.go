package workload

import (
	"net/netip"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
)

// Layer is a connection layer in memory: a payload arrives some ticks after it is sent, unsealed. It
// is its own listener and server; each of its ends is its own dialer and client.
type Layer struct {
	Ends []*LayerEnd
	Tick *entangle.Tick // of the game, which advances it
	turn int            // the end of which Receive returns the next payload
	part int            // the index of that payload
	told int            // clients of which the Connected event was returned
}

// NewLayer returns a layer with a number of ends. Payloads take some ticks down to the clients, and
// some up to the server.
func NewLayer(clients, down, up int, tick *entangle.Tick) *Layer {
	l := &Layer{Tick: tick}
	for range clients {
		l.Ends = append(l.Ends, &LayerEnd{Layer: l, Down: make(Line, down+1), Up: make(Line, up+1)})
	}
	return l
}

// Renew makes the ends those of new connections. The server must have disconnected the former
// clients.
func (l *Layer) Renew() {
	l.told = 0
	for _, e := range l.Ends {
		e.told = false
	}
}

// LayerEnd is a client of a Layer.
type LayerEnd struct {
	Layer    *Layer
	Down, Up Line
	told     bool
	part     int
	In, Out  int // bytes received and sent by the client
}

// Next begins a tick: it advances Tick and clears the places for the payloads that it sends.
func (l *Layer) Next() {
	*l.Tick++
	l.turn, l.part = 0, 0
	for _, e := range l.Ends {
		e.part = 0
		e.Down.Clear(*l.Tick)
		e.Up.Clear(*l.Tick)
	}
}

// Arrived returns the payloads from a client that reach the server in this tick.
func (e *LayerEnd) Arrived() *Packets { return e.Up.Due(*e.Layer.Tick) }

// Listen implements connection.Listener.
func (l *Layer) Listen(connection.ServerConfig) (connection.Server, error) { return l, nil }

// Addrs implements connection.Server.
func (l *Layer) Addrs() []netip.AddrPort { return nil }

// Receive implements connection.Server.
func (l *Layer) Receive(time.Time) (connection.Event, error) {
	if l.told < len(l.Ends) {
		l.told++
		return connection.Event{Kind: connection.Connected, Slot: l.told - 1, Client: ClientID(l.told - 1), Name: "player"}, nil
	}
	for ; l.turn < len(l.Ends); l.turn, l.part = l.turn+1, 0 {
		if bag := l.Ends[l.turn].Arrived(); l.part < len(bag.Ends) {
			l.part++
			return connection.Event{Kind: connection.Payload, Slot: l.turn, Payload: bag.Packet(l.part - 1)}, nil
		}
	}
	return connection.Event{}, connection.ErrEmpty
}

// Send implements connection.Server.
func (l *Layer) Send(slot int, payload []byte, _ time.Time) {
	e := l.Ends[slot]
	e.In += len(payload)
	e.Down.Add(*l.Tick, payload)
}

// Flush implements connection.Server.
func (l *Layer) Flush() error { return nil }

// Disconnect implements connection.Server. What is in flight does not arrive.
func (l *Layer) Disconnect(slot int, _ string, _ time.Time) {
	for _, line := range [...]Line{l.Ends[slot].Down, l.Ends[slot].Up} {
		for i := range line {
			line[i].Reset()
		}
	}
}

// Close implements connection.Server.
func (l *Layer) Close(string, time.Time) error { return nil }

// Sent implements connection.Server.
func (l *Layer) Sent(slot int) uint64 { return uint64(l.Ends[slot].In) }

// Overhead implements connection.Server.
func (l *Layer) Overhead(int) int { return 0 }

// Traffic implements connection.Server.
func (l *Layer) Traffic() connection.Traffic { return connection.Traffic{} }

// AppendDropped implements connection.Server.
func (l *Layer) AppendDropped(dst []connection.Dropped) []connection.Dropped { return dst }

// Dial implements connection.Dialer.
func (e *LayerEnd) Dial(connection.ClientConfig) (connection.Client, error) {
	return layerClient{e}, nil
}

// layerClient is the client's view of its end.
type layerClient struct{ end *LayerEnd }

// Receive implements connection.Client.
func (c layerClient) Receive(time.Time) (connection.Event, error) {
	e := c.end
	if !e.told {
		e.told = true
		return connection.Event{Kind: connection.Connected}, nil
	}
	if bag := e.Down.Due(*e.Layer.Tick); e.part < len(bag.Ends) {
		e.part++
		return connection.Event{Kind: connection.Payload, Payload: bag.Packet(e.part - 1)}, nil
	}
	return connection.Event{}, connection.ErrEmpty
}

// Send implements connection.Client.
func (c layerClient) Send(payload []byte, _ time.Time) {
	c.end.Out += len(payload)
	c.end.Up.Add(*c.end.Layer.Tick, payload)
}

// Flush implements connection.Client.
func (c layerClient) Flush() error { return nil }

// Close implements connection.Client.
func (c layerClient) Close(string, time.Time) error { return nil }

// Traffic implements connection.Client.
func (c layerClient) Traffic() connection.Traffic { return connection.Traffic{} }

// AppendDropped implements connection.Client.
func (c layerClient) AppendDropped(dst []connection.Dropped) []connection.Dropped { return dst }
