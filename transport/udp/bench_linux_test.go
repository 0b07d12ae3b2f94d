//go:build linux && (amd64 || arm64)

package udp_test

import (
	"net/netip"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/udp"
)

// sendLimit is the cheapest way to send many datagrams on Linux: headers and addresses
// prepared in advance, and one sendmmsg for all of them.
type sendLimit struct {
	fd      int
	headers []mmsghdr
}

// mmsghdr is mmsghdr of sys/socket.h on 64-bit machines.
type mmsghdr struct {
	name    *syscall.RawSockaddrInet4
	nameLen uint32
	_       uint32
	iov     *syscall.Iovec
	iovLen  uint64
	control *byte
	ctlLen  uint64
	flags   int32
	_       uint32
	length  uint32
	_       uint32
}

func newSendLimit(fd int, batch []transport.Datagram) *sendLimit {
	l := &sendLimit{fd: fd, headers: make([]mmsghdr, len(batch))}
	for i, d := range batch {
		port := d.Addr.Port()
		name := &syscall.RawSockaddrInet4{Family: syscall.AF_INET, Port: port<<8 | port>>8, Addr: d.Addr.Addr().As4()}
		iov := &syscall.Iovec{Base: &d.Data[0], Len: uint64(len(d.Data))}
		l.headers[i] = mmsghdr{name: name, nameLen: syscall.SizeofSockaddrInet4, iov: iov, iovLen: 1}
	}
	return l
}

// polledSocket is a socket made by package net and watched by the runtime's poller, as
// required for a goroutine to wait for datagrams.
func polledSocket(t testing.TB) (fd int) {
	socket := raw(t)
	require.NoError(t, socket.SetWriteBuffer(udp.DefaultListenerBuffer))
	conn, err := socket.SyscallConn()
	require.NoError(t, err)
	require.NoError(t, conn.Control(func(f uintptr) { fd = int(f) }))
	return fd
}

// bareSocket returns a socket that can only send, because the poller does not watch it.
func bareSocket(t testing.TB) (fd int) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Close(fd) })
	require.NoError(t, syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_SNDBUF, udp.DefaultListenerBuffer))
	return fd
}

func (l *sendLimit) send() int {
	n, _, errno := syscall.Syscall6(unix.SYS_SENDMMSG, uintptr(l.fd),
		uintptr(unsafe.Pointer(&l.headers[0])), uintptr(len(l.headers)), syscall.MSG_DONTWAIT, 0, 0)
	if errno != 0 {
		return 0
	}
	return int(n)
}

// sinks returns datagrams to sockets that are never read. Sending them costs the sender the path
// through the kernel, while no other goroutine takes part.
func sinks(t testing.TB, peers, each int) []transport.Datagram {
	var batch []transport.Datagram
	for range peers {
		addr := raw(t).LocalAddr().(interface{ AddrPort() netip.AddrPort }).AddrPort()
		for range each {
			batch = append(batch, transport.Datagram{Addr: unmapped(addr), Data: make([]byte, 1150)})
		}
	}
	return batch
}

func unmapped(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}

// benchmarkSend sends the same batch in three ways, in turns within one run, so that other load on
// the machine affects all of them. Their order changes, because the second way finds the kernel's
// structures in the cache, and the poller's thread awake or asleep. ratio is the packets/s of Conn
// over those of the limit, a hand-written loop on a socket of the same kind. A socket that only
// sends is there for comparison: the kernel does not have to notify anyone of each buffer that
// becomes free.
func benchmarkSend(b *testing.B, peers, each int) {
	batch := sinks(b, peers, each)
	server := listen(b, udp.Listener{Addr: "127.0.0.1:0"})
	ways := [3]func() int{
		func() int {
			sent, _ := server.Send(batch)
			return sent
		},
		newSendLimit(polledSocket(b), batch).send,
		newSendLimit(bareSocket(b), batch).send,
	}
	var took [3]time.Duration
	b.ReportAllocs()
	for turn := 0; b.Loop(); turn++ {
		for i := range ways {
			way := (turn + i) % len(ways)
			if turn/len(ways)%2 == 1 {
				way = len(ways) - 1 - way
			}
			start := time.Now()
			sent := ways[way]()
			took[way] += time.Since(start)
			if sent != len(batch) {
				b.Fatalf("way %d sent %d of %d", way, sent, len(batch))
			}
		}
	}
	packets := float64(b.N * len(batch))
	b.ReportMetric(packets/took[0].Seconds(), "packets/s")
	b.ReportMetric(packets/took[1].Seconds(), "limit-packets/s")
	b.ReportMetric(packets/took[2].Seconds(), "bare-packets/s")
	b.ReportMetric(took[1].Seconds()/took[0].Seconds(), "ratio")
}

func BenchmarkSend100Peers(b *testing.B)      { benchmarkSend(b, 100, 1) }
func BenchmarkSend200Peers(b *testing.B)      { benchmarkSend(b, 200, 1) }
func BenchmarkSend100PeersThree(b *testing.B) { benchmarkSend(b, 100, 3) }

// BenchmarkFrame100Clients sends one datagram to each of 100 clients and one back from each, and
// receives all of them.
func BenchmarkFrame100Clients(b *testing.B) {
	run := frame(b, 100)
	for range 10 {
		run()
	}
	b.ReportAllocs()
	for b.Loop() {
		run()
	}
	b.ReportMetric(float64(b.N)*200/b.Elapsed().Seconds(), "packets/s")
}

// In BenchmarkReceive, one socket receives datagrams as fast as a bare one can send them, through
// the reading goroutine and the queue; a loop drains it every millisecond.
func BenchmarkReceive(b *testing.B) {
	server := listen(b, udp.Listener{Addr: "127.0.0.1:0", StrangerQueue: udp.DefaultListenerQueue})
	batch := make([]transport.Datagram, 64)
	for i := range batch {
		batch[i] = transport.Datagram{Addr: server.LocalAddr(), Data: make([]byte, 1150)}
	}
	source := newSendLimit(bareSocket(b), batch)
	stop := make(chan struct{})
	var sending sync.WaitGroup
	sending.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				source.send()
			}
		}
	})
	buf := make([]byte, 1150)
	b.ReportAllocs()
	b.ResetTimer()
	for received := 0; received < b.N; time.Sleep(time.Millisecond) {
		for _, _, err := server.Receive(buf); err == nil; _, _, err = server.Receive(buf) {
			received++
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "packets/s")
	close(stop)
	sending.Wait()
}
