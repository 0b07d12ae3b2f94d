//go:build linux && (amd64 || arm64)

package udp_test

import (
	"net/netip"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/udp"
)

// sendLimit is the least that sending many datagrams can cost on Linux: headers
// and addresses that were laid out before, and one sendmmsg for all of them.
type sendLimit struct {
	fd      int
	headers []mmsghdr
}

// mmsghdr is that of sys/socket.h on 64-bit machines.
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

func newSendLimit(t testing.TB, batch []transport.Datagram) *sendLimit {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_NONBLOCK, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Close(fd) })
	require.NoError(t, syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_SNDBUF, udp.DefaultListenerBuffer))
	l := &sendLimit{fd: fd, headers: make([]mmsghdr, len(batch))}
	for i, d := range batch {
		port := d.Addr.Port()
		name := &syscall.RawSockaddrInet4{Family: syscall.AF_INET, Port: port<<8 | port>>8, Addr: d.Addr.Addr().As4()}
		iov := &syscall.Iovec{Base: &d.Data[0], Len: uint64(len(d.Data))}
		l.headers[i] = mmsghdr{name: name, nameLen: syscall.SizeofSockaddrInet4, iov: iov, iovLen: 1}
	}
	return l
}

func (l *sendLimit) send() int {
	n, _, errno := syscall.Syscall6(unix.SYS_SENDMMSG, uintptr(l.fd),
		uintptr(unsafe.Pointer(&l.headers[0])), uintptr(len(l.headers)), syscall.MSG_DONTWAIT, 0, 0)
	if errno != 0 {
		return 0
	}
	return int(n)
}

// sinks are addresses of sockets that nobody reads: what is sent there costs the
// sender the way through the kernel, and no other goroutine takes part.
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

// The two alternate within one run, so that what else the machine does meets
// both; ratio is packets/s of ours over those of the limit.
func benchmarkSend(b *testing.B, peers, each int) {
	batch := sinks(b, peers, each)
	server := listen(b, udp.Listener{Addr: "127.0.0.1:0"})
	limit := newSendLimit(b, batch)
	var ours, limits time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		sent, err := server.Send(batch)
		middle := time.Now()
		limitSent := limit.send()
		limits += time.Since(middle)
		ours += middle.Sub(start)
		if sent != len(batch) || err != nil || limitSent != len(batch) {
			b.Fatalf("sent %d and %d of %d, %v", sent, limitSent, len(batch), err)
		}
	}
	packets := float64(b.N * len(batch))
	b.ReportMetric(packets/ours.Seconds(), "packets/s")
	b.ReportMetric(packets/limits.Seconds(), "limit-packets/s")
	b.ReportMetric(limits.Seconds()/ours.Seconds(), "ratio")
}

func BenchmarkSend100Peers(b *testing.B)      { benchmarkSend(b, 100, 1) }
func BenchmarkSend200Peers(b *testing.B)      { benchmarkSend(b, 200, 1) }
func BenchmarkSend100PeersThree(b *testing.B) { benchmarkSend(b, 100, 3) }

// One datagram to each of 100 clients, all received; one back from each.
func BenchmarkFrame100Clients(b *testing.B) {
	run := frame(b, 100)
	b.ReportAllocs()
	for b.Loop() {
		run()
	}
	b.ReportMetric(float64(b.N)*200/b.Elapsed().Seconds(), "packets/s")
}
