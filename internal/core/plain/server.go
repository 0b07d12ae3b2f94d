package plain

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"net/netip"
	"slices"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/replay"
)

// ServerConfig configures a Server.
type ServerConfig struct {
	ProtocolID uint64
	MaxClients int           // at least 1
	Secret     [32]byte      // random: the key from which the numbers of connections are computed
	Timeout    time.Duration // 0 means DefaultTimeout, negative means never
	Start      time.Time
}

// Server accepts clients and maintains their connections.
type Server struct {
	config   ServerConfig
	slots    []slot
	free     []int32 // in descending order
	byAddr   map[netip.AddrPort]int32
	byClient map[entangle.ClientID]int32
	ended    ended
	now      time.Time // of the last call
	dropped  counts
	seed     [seedSize]byte
	reply    [MaxReply]byte
}

// slot is one connected client.
type slot struct {
	connected    bool
	confirmed    bool // a packet of the client has shown that the client knows that it is connected
	addr         netip.AddrPort
	client       entangle.ClientID
	ours         uint64 // the number with which the client's packets begin
	theirs       uint64 // the number with which packets to the client begin
	lastReceived time.Time
	sent         time.Time
	sequence     uint64
	window       replay.Window
}

// NewServer returns a server without clients.
func NewServer(config ServerConfig) *Server {
	config.Timeout = cmp.Or(config.Timeout, DefaultTimeout)
	n := config.MaxClients
	s := &Server{
		config: config, now: config.Start,
		slots: make([]slot, n), free: make([]int32, 0, n),
		byAddr: make(map[netip.AddrPort]int32, n), byClient: make(map[entangle.ClientID]int32, n),
		ended: newEnded(max(minEnded, endedPerSlot*n)),
	}
	for i := n - 1; i >= 0; i-- {
		s.free = append(s.free, int32(i))
	}
	return s
}

// HandleDatagram handles one datagram. If ok is true, e is an event, with slices that alias b or
// the server. If reply is not empty, send it to the source of the datagram; it is valid until the
// next call.
func (s *Server) HandleDatagram(from netip.AddrPort, b []byte, now time.Time) (e connection.Event, ok bool, reply []byte) {
	s.now = now
	var d drop
	switch {
	case len(b) < idSize || len(b) > maxPacket:
		d = dropSize
	case kind(b[0]) == kindHello || kind(b[0]) == kindAnswer:
		e, reply, d = s.handleStranger(from, b)
	default:
		e, d = s.handleConnected(from, b)
	}
	if d != dropNone {
		s.dropped[d]++
	}
	return e, e.Kind != 0, reply
}

// handleConnected handles packets of connected clients.
func (s *Server) handleConnected(from netip.AddrPort, b []byte) (e connection.Event, d drop) {
	at, ok := s.byAddr[from]
	if !ok {
		return e, dropStranger
	}
	c := &s.slots[at]
	if readID(b) != c.ours {
		return e, dropNumber
	}
	if e, d = read(b, idSize, &c.window); d != dropNone {
		return e, d
	}
	c.lastReceived, c.confirmed, e.Slot = s.now, true, int(at)
	if e.Kind == connection.Disconnected {
		s.End(int(at))
	}
	return e, dropNone
}

// read parses the packets that both ends send when they are connected. The caller has checked the
// number in the first part. alive is the size of a keep-alive.
func read(b []byte, alive int, window *replay.Window) (e connection.Event, d drop) {
	switch kind(b[0]) {
	case kindKeepAlive:
		if len(b) != alive {
			return e, dropSize
		}
	case kindPayload:
		if len(b) <= payloadHead {
			return e, dropSize
		}
		sequence := binary.LittleEndian.Uint64(b[idSize:])
		if !window.Fresh(sequence) {
			return e, dropRepeated
		}
		window.Mark(sequence)
		e.Kind, e.Payload = connection.Payload, b[payloadHead:]
	case kindGoodbye:
		reason, err := packet.ParseReason(b[idSize:])
		if err != nil {
			return e, dropReason
		}
		e.Kind, e.Err = connection.Disconnected, connection.ErrClosed
		if reason != "" {
			e.Err = connection.Goodbye(reason)
		}
	default:
		return e, dropKind
	}
	return e, dropNone
}

// Expire returns the event of a connection that has timed out; ok is false if there is none. The
// caller must then send disconnect packets and call End.
func (s *Server) Expire(now time.Time) (e connection.Event, ok bool) {
	s.now = now
	if s.config.Timeout < 0 {
		return e, false
	}
	for i := range s.slots {
		if c := &s.slots[i]; c.connected && now.Sub(c.lastReceived) >= s.config.Timeout {
			return connection.Event{Kind: connection.Disconnected, Slot: i, Err: connection.ErrTimedOut}, true
		}
	}
	return e, false
}

// Connected reports whether a slot has a client.
func (s *Server) Connected(at int) bool { return s.slots[at].connected }

// Addr returns the address of the client of a connected slot.
func (s *Server) Addr(at int) netip.AddrPort { return s.slots[at].addr }

// End frees the slot of a client.
func (s *Server) End(at int) {
	c := &s.slots[at]
	if !c.connected {
		return
	}
	delete(s.byAddr, c.addr)
	delete(s.byClient, c.client)
	s.ended.add(c.ours, s.now)
	*c = slot{}
	place, _ := slices.BinarySearchFunc(s.free, int32(at), func(a, b int32) int { return int(b - a) })
	s.free = slices.Insert(s.free, place, int32(at))
}

// AppendPayload appends a packet with a payload of 1 to entangle.MaxPayload bytes for the
// client of a connected slot.
func (s *Server) AppendPayload(dst []byte, at int, payload []byte, now time.Time) []byte {
	c := &s.slots[at]
	c.sequence++
	c.sent = now
	return appendPayload(dst, c.theirs, c.sequence, payload)
}

// Unconfirmed reports whether a keep-alive must be sent to a slot before the next payload: a client
// that does not know yet that it is connected drops payloads.
func (s *Server) Unconfirmed(at int) bool { return s.slots[at].connected && !s.slots[at].confirmed }

// Due reports whether nothing was sent to the client of a slot for sendInterval.
func (s *Server) Due(at int, now time.Time) bool {
	c := &s.slots[at]
	return c.connected && now.Sub(c.sent) >= sendInterval
}

// AppendKeepAlive appends a packet that tells the client of a connected slot that it is
// connected.
func (s *Server) AppendKeepAlive(dst []byte, at int, now time.Time) []byte {
	c := &s.slots[at]
	c.sent = now
	return binary.LittleEndian.AppendUint64(appendID(dst, kindKeepAlive, c.theirs), c.ours)
}

// AppendGoodbye appends a packet that ends the connection at the client of a connected slot.
func (s *Server) AppendGoodbye(dst []byte, at int, reason string) []byte {
	return packet.AppendReason(appendID(dst, kindGoodbye, s.slots[at].theirs), reason)
}

// AppendDropped appends the counts of dropped datagrams.
func (s *Server) AppendDropped(dst []connection.Dropped) []connection.Dropped {
	return s.dropped.appendTo(dst)
}

// seedSize is the size of the data from which a connection's number is computed: the secret, an
// epoch, an address with its port, the client's number and its id.
const seedSize = 32 + 8 + 16 + 2 + 8 + 8

// number returns the number that a client at this address has to repeat to be accepted. Only a
// program that knows the secret or receives at that address can send it. The server stores nothing
// until then.
func (s *Server) number(from netip.AddrPort, h *hello, age time.Duration) uint64 {
	b := append(s.seed[:0], s.config.Secret[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64((s.now.Sub(s.config.Start)-age)/epoch))
	ip := from.Addr().As16()
	b = append(b, ip[:]...)
	b = binary.LittleEndian.AppendUint16(b, from.Port())
	b = binary.LittleEndian.AppendUint64(b, h.mine)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.client))
	sum := sha256.Sum256(b)
	return binary.LittleEndian.Uint64(sum[:])
}
