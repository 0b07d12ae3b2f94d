package cases

import (
	"net/netip"

	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/memory"
	"github.com/entangle-ecs/entangle/transport/token"
)

// idleTraffic counts packets, and their bytes before they were sealed.
type idleTraffic struct{ packets, bytes int }

func (t *idleTraffic) mean() float64 { return float64(t.bytes) / float64(max(t.packets, 1)) }

// addPacket counts a sealed packet. Sealing puts a byte before the body and a tag after it. The
// high half of that byte is the number of sequence bytes that follow it.
func (t *idleTraffic) addPacket(packet []byte) {
	t.packets++
	t.bytes += len(packet) - 1 - int(packet[0]>>4) - token.TagSize
}

// idleEnd opens ends of a network in memory, and counts the bytes that they send.
type idleEnd struct {
	listener *memory.Listener
	dialer   *memory.Dialer
	count    *idleTraffic
}

func (e idleEnd) Listen() (transport.Conn, error) {
	conn, err := e.listener.Listen()
	return idleConn{conn, e.count}, err
}

func (e idleEnd) Dial(server netip.AddrPort) (transport.Conn, error) {
	conn, err := e.dialer.Dial(server)
	return idleConn{conn, e.count}, err
}

type idleConn struct {
	transport.Conn
	count *idleTraffic
}

func (c idleConn) Send(batch []transport.Datagram) (int, error) {
	for i := range batch {
		c.count.addPacket(batch[i].Data)
	}
	return c.Conn.Send(batch)
}
