package cases

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/net/ipv4"

	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/udp"
)

// In the variant udp/receive-junk, a server receives 50 packets of 100 bytes from clients, among
// 450 datagrams of one byte from a stranger, over real sockets on loopback, as fast as they are
// sent. The limit is a goroutine that reads a socket, looks up each sender in a map and copies the
// clients' packets into a ring that a second goroutine empties. The ratio compares datagrams per
// second; the time includes sending them. One operation is all 500 datagrams.
const (
	udpReceiveClients = 50
	udpReceiveJunk    = 450
	udpReceiveSize    = 100
)

// udpReceiver is a server's end that returns what clients have sent.
type udpReceiver interface {
	LocalAddr() netip.AddrPort
	Receive(buf []byte) (int, netip.AddrPort, error)
	Close() error
}

func udpReceivePrepare() (_ report.Sides, err error) {
	var open closers
	defer func() {
		if err != nil {
			open.close()
		}
	}()
	client, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return report.Sides{}, err
	}
	open.add(client.Close)
	stranger, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return report.Sides{}, err
	}
	open.add(stranger.Close)
	admitted := client.LocalAddr().(*net.UDPAddr).AddrPort()

	conn, err := udp.Listener{Addr: "127.0.0.1:0"}.Listen()
	if err != nil {
		return report.Sides{}, err
	}
	open.add(conn.Close)
	filterer := conn.(transport.Filterer)
	filterer.SetFilter(func(data []byte, client bool) bool { return client && len(data) > 1 })
	filterer.Admit(admitted)
	limit, err := newUDPReader(admitted)
	if err != nil {
		return report.Sides{}, err
	}
	open.add(limit.Close)

	var failed error
	buf := make([]byte, udpReceiveSize)
	side := func(server udpReceiver) func() {
		genuine := newUDPBurst(client, server.LocalAddr(), udpReceiveClients, udpReceiveSize)
		junk := newUDPBurst(stranger, server.LocalAddr(), udpReceiveJunk, 1)
		return func() {
			failed = errors.Join(failed, junk.sendBurst(), genuine.sendBurst(), udpDrain(server, buf))
		}
	}
	return report.Sides{
		Ours:   side(conn),
		Limit:  side(limit),
		Bytes:  func() int { return udpReceiveClients * udpReceiveSize },
		Verify: func() error { return failed },
		Close:  open.close,
	}, nil
}

// udpDrain receives until all packets that clients sent in one operation have arrived.
func udpDrain(server udpReceiver, buf []byte) error {
	deadline := time.Time{}
	for received := 0; received < udpReceiveClients; {
		_, _, err := server.Receive(buf)
		switch {
		case err == nil:
			received++
		case !errors.Is(err, transport.ErrEmpty):
			return err
		case deadline.IsZero():
			deadline = time.Now().Add(time.Second)
		case time.Now().After(deadline):
			return fmt.Errorf("%d of %d packets received", received, udpReceiveClients)
		default:
			time.Sleep(20 * time.Microsecond) // without a pause the poller would never be asked
		}
	}
	return nil
}

// udpBurst is a number of equal datagrams for one address, prepared for sending.
type udpBurst struct {
	packets  *ipv4.PacketConn
	messages []ipv4.Message
}

func newUDPBurst(from *net.UDPConn, to netip.AddrPort, count, size int) *udpBurst {
	b := &udpBurst{packets: ipv4.NewPacketConn(from), messages: make([]ipv4.Message, count)}
	data, addr := make([]byte, size), net.UDPAddrFromAddrPort(to)
	for i := range b.messages {
		b.messages[i] = ipv4.Message{Buffers: [][]byte{data}, Addr: addr}
	}
	return b
}

func (b *udpBurst) sendBurst() error {
	for left := b.messages; len(left) > 0; {
		n, err := b.packets.WriteBatch(left, 0)
		if err != nil {
			return err
		}
		left = left[n:]
	}
	return nil
}

// udpReader is the hand-written way to receive: the packets of each client wait in a ring of fixed
// size.
type udpReader struct {
	socket  *net.UDPConn
	clients map[netip.AddrPort]bool
	ended   chan struct{}

	mu          sync.Mutex
	ring        [4096][1500]byte
	sizes       [4096]int
	first, next int
}

func newUDPReader(client netip.AddrPort) (*udpReader, error) {
	socket, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, err
	}
	_ = socket.SetReadBuffer(udp.DefaultListenerBuffer)
	r := &udpReader{socket: socket, clients: map[netip.AddrPort]bool{client: true}, ended: make(chan struct{})}
	go r.readSocket()
	return r, nil
}

func (r *udpReader) readSocket() {
	defer close(r.ended)
	buf := make([]byte, 1500)
	for {
		n, from, err := r.socket.ReadFromUDPAddrPort(buf)
		if err != nil {
			return
		}
		if n > 1 && r.clients[from] {
			r.mu.Lock()
			r.sizes[r.next%len(r.ring)] = copy(r.ring[r.next%len(r.ring)][:], buf[:n])
			r.next++
			r.mu.Unlock()
		}
	}
}

func (r *udpReader) LocalAddr() netip.AddrPort {
	return r.socket.LocalAddr().(*net.UDPAddr).AddrPort()
}

func (r *udpReader) Receive(buf []byte) (int, netip.AddrPort, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first == r.next {
		return 0, netip.AddrPort{}, transport.ErrEmpty
	}
	at := r.first % len(r.ring)
	r.first++
	return copy(buf, r.ring[at][:r.sizes[at]]), netip.AddrPort{}, nil
}

func (r *udpReader) Close() error {
	err := r.socket.Close()
	<-r.ended
	return err
}
