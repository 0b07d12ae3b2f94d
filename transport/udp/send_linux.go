package udp

import (
	"errors"
	"net"
	"syscall"

	"golang.org/x/net/ipv4"

	"github.com/entangle-ecs/entangle/transport"
)

const (
	// chunkSize is how many datagrams go into one system call. The kernel accepts up to
	// 1024 messages; 100 achieve most of the gain, and memory grows with the size.
	chunkSize = 256

	// refusals is how many pending socket errors about earlier datagrams one call of Send
	// clears before it gives a datagram up.
	refusals = 16
)

// sender sends datagrams in chunks: pack puts a chunk into messages, flush hands these to
// the kernel. All of its memory is allocated once and reused.
type sender struct {
	// write is sendmmsg. It sends to IPv6 peers as well: messages carry addresses of either family.
	write     func(messages []ipv4.Message, flags int) (sent int, err error)
	connected bool
	segments  bool // whether the kernel segments (UDP GSO), and no device has refused it yet

	messages [chunkSize]ipv4.Message
	first    [chunkSize]int    // index in the batch of each message's first datagram
	sizes    [chunkSize]int    // bytes in each message
	peers    [chunkSize]peer   // address of each message
	buffers  [chunkSize][]byte // datagrams; each message has a run of them
	controls [chunkSize][]byte // segment size of each message with several datagrams
	plainTo  int               // datagrams of the batch before this index are sent singly
}

// peer holds one address, because package ipv4 needs a net.Addr.
type peer struct {
	udp net.UDPAddr
	ip  [16]byte
}

func (s *sender) init(socket *net.UDPConn, connected bool) {
	s.write = ipv4.NewPacketConn(socket).WriteBatch
	s.connected = connected
	s.segments = canSegment(socket)
	for i := range s.controls {
		s.controls[i] = newSegmentControl()
	}
}

func (s *sender) sendBatch(c *Conn, batch []transport.Datagram) (r sendResult) {
	s.plainTo = 0
	for at := 0; at < len(batch); {
		end, packed := s.pack(c, batch, at)
		done, verdict := s.flush(packed, &r)
		switch verdict {
		case allDone:
			at = end
		case segmentsRefused:
			at, s.plainTo = s.first[done], s.first[done]+len(s.messages[done].Buffers)
		case bufferFull:
			r.full = len(batch) - s.first[done]
			at = len(batch)
		case socketClosed:
			at = len(batch)
		}
		clear(s.buffers[:min(len(batch), chunkSize)])
	}
	return r
}

// pack fills messages with datagrams of the batch from index at on. It returns the index
// after the last datagram it considered, and the number of messages.
func (s *sender) pack(c *Conn, batch []transport.Datagram, at int) (end, packed int) {
	end = min(at+chunkSize, len(batch))
	used, joinable := 0, false
	for i := at; i < end; i++ {
		d := &batch[i]
		if !c.carries(d) {
			// The datagrams of a message must be contiguous in the batch, or sending cannot be
			// resumed.
			joinable = false
			continue
		}
		s.buffers[used] = d.Data
		used++
		if joinable && i >= s.plainTo && s.joins(packed-1, batch, d) {
			s.extendMessage(packed-1, used, len(d.Data))
			continue
		}
		s.beginMessage(packed, i, used, d)
		packed++
		joinable = s.segments
	}
	return end, packed
}

// beginMessage starts message m with one datagram, the last of the used buffers.
func (s *sender) beginMessage(m, index, used int, d *transport.Datagram) {
	msg := &s.messages[m]
	msg.Buffers, msg.OOB, msg.Addr = s.buffers[used-1:used], nil, nil
	s.first[m], s.sizes[m] = index, len(d.Data)
	if !s.connected {
		msg.Addr = s.peers[m].setAddr(d)
	}
}

func (p *peer) setAddr(d *transport.Datagram) net.Addr {
	a := d.Addr.Addr()
	if a.Is4() {
		v4 := a.As4()
		p.udp.IP = p.ip[:copy(p.ip[:], v4[:])]
	} else {
		p.ip = a.As16()
		p.udp.IP = p.ip[:]
	}
	p.udp.Port, p.udp.Zone = int(d.Addr.Port()), a.Zone()
	return &p.udp
}

// verdict is the reason why flush ended.
type verdict uint8

const (
	allDone         verdict = iota // every message was sent or given up as lost
	bufferFull                     // the kernel has no room for this message
	segmentsRefused                // this message has to be sent as single datagrams
	socketClosed
)

// flush hands the packed messages to the kernel. It returns the index of the message at
// which it ended, and why.
func (s *sender) flush(packed int, r *sendResult) (done int, _ verdict) {
	for tries := 0; done < packed; {
		n, err := s.write(s.messages[done:packed], syscall.MSG_DONTWAIT)
		r.calls++
		for range max(n, 0) {
			r.sent += len(s.messages[done].Buffers)
			r.bytes += s.sizes[done]
			done++
		}
		switch {
		case err == nil:
		case errors.Is(err, net.ErrClosed):
			r.err = err
			return done, socketClosed
		case errors.Is(err, syscall.EAGAIN):
			return done, bufferFull
		case tries < refusals && (errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.EINTR)):
			tries++
		case len(s.messages[done].Buffers) > 1 && s.refused(err):
			return done, segmentsRefused
		default:
			done++ // no route, a firewall, an invalid address: lost
		}
	}
	return done, allDone
}
