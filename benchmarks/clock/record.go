package clock

import (
	"errors"
	"net/netip"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/transport"
)

// clockRecord is the record of a run by an observer that knows the true time at both ends.
type clockRecord struct {
	ways    []clockWay // the client's data packets, in the order in which they were sent
	byID    [1 << 16]int32
	servers []clockServerFrame
	clients []clockClientFrame
	bytes   [2][channel.MaxID + 1]int // bytes of frames by channel, heads included: up, down
}

// clockWay is what happened to one packet. All times count from the start of the run.
type clockWay struct {
	sent    time.Duration
	arrived time.Duration // 0 if it never arrived
}

// clockServerFrame is a frame of the server: the first tick that it had yet to run, and its clock
// after the frame, in ticks.
type clockServerFrame struct {
	at    time.Duration
	next  entangle.Tick
	clock float64
}

// clockClientFrame is a frame of the client after it ran.
type clockClientFrame struct {
	at     time.Duration
	server float64 // the server's clock at that time, in ticks
	lead   float64 // the client's clock minus the server's
	speed  float64
	delay  int
}

// newClockRecord has capacity for a quarter more than a run of so many seconds with so many frames
// per second.
func newClockRecord(seconds, rate int) *clockRecord {
	frames := seconds * rate * 5 / 4
	return &clockRecord{
		ways:    make([]clockWay, 0, frames),
		servers: make([]clockServerFrame, 0, frames),
		clients: make([]clockClientFrame, 0, frames),
	}
}

// trustedHead is the size of what the trusted layer puts before a payload, which it does not seal:
// its kind, the client's id, the number of the connection, and a sequence.
const (
	trustedHead    = 25
	trustedPayload = 2
)

// payloadOf returns the payload in a datagram of the trusted layer, or nil if it has none.
func payloadOf(datagram []byte) []byte {
	if len(datagram) <= trustedHead || datagram[0] != trustedPayload {
		return nil
	}
	return datagram[trustedHead:]
}

// dataPacket returns the header of a data packet, and its frames.
func dataPacket(datagram []byte) (h packet.Header, frames []byte, ok bool) {
	h, frames, err := packet.ParseHeader(payloadOf(datagram))
	return h, frames, err == nil && h.Kind == packet.Data
}

// sent records a datagram that leaves either end.
func (r *clockRecord) sent(now time.Duration, up bool, datagram []byte) {
	h, frames, ok := dataPacket(datagram)
	if !ok {
		return
	}
	way := 1
	if up {
		way = 0
		r.byID[h.ID] = int32(len(r.ways))
		r.ways = append(r.ways, clockWay{sent: now})
	}
	for len(frames) > 0 {
		id, size := workload.FrameSize(frames)
		r.bytes[way][id] += size
		frames = frames[size:]
	}
}

// arrived records a datagram that has reached the server's machine, even if the server is paused.
func (r *clockRecord) arrived(now time.Duration, datagram []byte) {
	if h, _, ok := dataPacket(datagram); ok && len(r.ways) > 0 {
		if w := &r.ways[r.byID[h.ID]]; w.arrived == 0 {
			w.arrived = now
		}
	}
}

// clockEnd is the server's end of the network. It records when each datagram has arrived: at a step
// of clockPump, or at the frame that receives it.
type clockEnd struct {
	listener transport.Listener
	conn     transport.Conn
	arrived  func(datagram []byte)
	queue    []transport.Datagram
	taken    int
	scratch  [entangle.MaxDatagram]byte
}

// Listen implements transport.Listener.
func (e *clockEnd) Listen() (transport.Conn, error) {
	conn, err := e.listener.Listen()
	e.conn = conn
	return e, err
}

// pump handles the received packets.
func (e *clockEnd) pump() error {
	for {
		n, from, err := e.conn.Receive(e.scratch[:])
		switch {
		case errors.Is(err, transport.ErrEmpty):
			return nil
		case err != nil:
			return err
		}
		e.arrived(e.scratch[:n])
		e.queueDatagram(from, e.scratch[:n])
	}
}

// queueDatagram appends a datagram to the queue, in reused memory if there is any.
func (e *clockEnd) queueDatagram(from netip.AddrPort, datagram []byte) {
	if len(e.queue) == cap(e.queue) {
		e.queue = append(e.queue, transport.Datagram{})
	} else {
		e.queue = e.queue[:len(e.queue)+1]
	}
	d := &e.queue[len(e.queue)-1]
	d.Addr, d.Data = from, append(d.Data[:0], datagram...)
}

// Receive implements transport.Conn.
func (e *clockEnd) Receive(buf []byte) (int, netip.AddrPort, error) {
	if err := e.pump(); err != nil {
		return 0, netip.AddrPort{}, err
	}
	if e.taken == len(e.queue) {
		e.queue, e.taken = e.queue[:0], 0
		return 0, netip.AddrPort{}, transport.ErrEmpty
	}
	d := &e.queue[e.taken]
	e.taken++
	return copy(buf, d.Data), d.Addr, nil
}

// LocalAddr implements transport.Conn.
func (e *clockEnd) LocalAddr() netip.AddrPort { return e.conn.LocalAddr() }

// Send implements transport.Conn.
func (e *clockEnd) Send(batch []transport.Datagram) (int, error) { return e.conn.Send(batch) }

// Close implements transport.Conn.
func (e *clockEnd) Close() error { return e.conn.Close() }
