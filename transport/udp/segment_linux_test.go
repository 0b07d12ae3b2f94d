package udp

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/ipv4"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport"
)

// eventually polls in the test's goroutine until ok returns true.
func eventually(t *testing.T, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !ok(); time.Sleep(20 * time.Microsecond) {
		require.True(t, time.Now().Before(deadline), "nothing came within ten seconds")
	}
}

// soNoCheck is SO_NO_CHECK. The kernel does not segment for a socket that sends
// without checksums.
const soNoCheck = 11

func openPair(t *testing.T) (server, client *Conn) {
	s, err := Listener{Addr: "127.0.0.1:0"}.Listen()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	c, err := Dialer{}.Dial(s.LocalAddr())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	return s.(*Conn), c.(*Conn)
}

// mixed returns a batch with runs of every kind that segmentation must distinguish.
func mixed(to netip.AddrPort) []transport.Datagram {
	var batch []transport.Datagram
	for i, size := range []int{900, 900, 900, 900, 300, 900, 900, 1150, 1150, 1150, 20, 20, 30, 30} {
		data := make([]byte, size)
		copy(data, fmt.Sprintf("datagram %02d", i))
		batch = append(batch, transport.Datagram{Addr: to, Data: data})
	}
	return batch
}

func expectBatch(t *testing.T, at *Conn, batch []transport.Datagram) {
	t.Helper()
	buf := make([]byte, entangle.MaxDatagram)
	for i, d := range batch {
		var n int
		eventually(t, func() bool {
			var err error
			n, _, err = at.Receive(buf)
			return err == nil
		})
		require.Equal(t, d.Data, buf[:n], "datagram %d", i)
	}
}

// joined counts the messages into which pack puts a batch.
func joined(c *Conn, batch []transport.Datagram) int {
	_, packed := c.sender.pack(c, batch, 0)
	return packed
}

func TestEqualDatagramsInARowAreJoined(t *testing.T) {
	server, client := openPair(t)
	require.True(t, server.sender.segments, "Linux 4.18 or later segments on loopback")
	batch := mixed(client.LocalAddr())
	assert.Equal(t, 5, joined(server, batch), "4 of 900 with 300; 2 of 900; 3 of 1150 with 20; 20; 2 of 30")
	sent, err := server.Send(batch)
	require.NoError(t, err)
	assert.Equal(t, len(batch), sent)
	assert.EqualValues(t, 1, server.Stats().SendCalls)
	expectBatch(t, client, batch)
}

// If the kernel refuses to segment, every datagram is sent nevertheless, once.
func TestRefusedSegmentsGoSingly(t *testing.T) {
	server, client := openPair(t)
	raw, err := server.socket.SyscallConn()
	require.NoError(t, err)
	var opt error
	require.NoError(t, raw.Control(func(fd uintptr) {
		opt = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, soNoCheck, 1)
	}))
	require.NoError(t, opt)
	batch := mixed(client.LocalAddr())
	for range 3 {
		sent, err := server.Send(batch)
		require.NoError(t, err)
		assert.Equal(t, len(batch), sent)
		expectBatch(t, client, batch)
	}
	assert.Greater(t, server.Stats().SendCalls, uint64(3))
	assert.Zero(t, server.Stats().Unsendable)
}

// refusing makes a socket refuse segmented messages with an error, if they are for an address, or for
// any if it is not valid. It returns the number of refused messages.
func refusing(c *Conn, to netip.AddrPort, refusal error) *int {
	refused, write := new(int), c.sender.write
	c.sender.write = func(messages []ipv4.Message, flags int) (int, error) {
		for i, m := range messages {
			if len(m.Buffers) > 1 && (!to.IsValid() || m.Addr.(*net.UDPAddr).Port == int(to.Port())) {
				if i > 0 {
					return write(messages[:i], flags) // sendmmsg reports an error only about the first message
				}
				*refused++
				return -1, os.NewSyscallError("sendmmsg", refusal)
			}
		}
		return write(messages, flags)
	}
	return refused
}

// mixedForAll returns the batches of mixed for several peers, in turns of one to three datagrams.
func mixedForAll(peers []*Conn) (batch []transport.Datagram, each [][]transport.Datagram) {
	for _, p := range peers {
		each = append(each, mixed(p.LocalAddr()))
	}
	taken := make([]int, len(peers))
	for turn := 0; len(batch) < len(peers)*len(each[0]); turn++ {
		at := turn % len(peers)
		from := taken[at]
		taken[at] = min(from+1+turn%3, len(each[at]))
		batch = append(batch, each[at][from:taken[at]]...)
	}
	for i := range batch {
		batch[i].Data[len(batch[i].Data)-1] = byte(i)
	}
	return batch, each
}

// Each peer receives its datagrams, byte by byte and in their order, whether the kernel segments them
// or refuses to.
func TestPeersReceiveTheSameBothWays(t *testing.T) {
	server, first := openPair(t)
	peers := []*Conn{first}
	for range 2 {
		c, err := Dialer{}.Dial(server.LocalAddr())
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, c.Close()) })
		peers = append(peers, c.(*Conn))
	}
	batch, each := mixedForAll(peers)
	require.Less(t, joined(server, batch), len(batch), "some are joined")
	exchange := func() {
		t.Helper()
		sent, err := server.Send(batch)
		require.NoError(t, err)
		assert.Equal(t, len(batch), sent)
		for i, p := range peers {
			expectBatch(t, p, each[i])
		}
	}
	exchange()

	write := server.sender.write
	for _, refusal := range []error{syscall.EINVAL, syscall.EMSGSIZE} {
		server.sender.write = write
		refused := refusing(server, peers[1].LocalAddr(), refusal)
		exchange()
		assert.Positive(t, *refused)
		assert.True(t, server.sender.segments, "%v is about the path to one peer", refusal)
	}

	server.sender.write = write
	refused := refusing(server, netip.AddrPort{}, syscall.EIO)
	exchange()
	assert.Equal(t, 1, *refused)
	exchange()
	assert.Equal(t, 1, *refused, "a device that cannot segment is not asked again")
	assert.Equal(t, len(batch), joined(server, batch))
	assert.Zero(t, server.Stats().Unsendable)
	assert.Zero(t, server.Stats().BufferFull)
}

func TestLongRunsEndAtTheKernelsLimits(t *testing.T) {
	server, client := openPair(t)
	for _, c := range []struct{ size, count, messages int }{
		{10, 64, 1}, {10, 65, 2}, {1150, 56, 1}, {1150, 57, 2}, {1150, 256, 5},
	} {
		batch := make([]transport.Datagram, c.count)
		for i := range batch {
			batch[i] = transport.Datagram{Addr: client.LocalAddr(), Data: make([]byte, c.size)}
		}
		assert.Equal(t, c.messages, joined(server, batch), "%d datagrams of %d bytes", c.count, c.size)
		sent, err := server.Send(batch)
		require.NoError(t, err)
		assert.Equal(t, c.count, sent)
	}
}

func TestSendKeepsNoReference(t *testing.T) {
	server, client := openPair(t)
	_, err := server.Send(mixed(client.LocalAddr()))
	require.NoError(t, err)
	for i := range server.sender.buffers {
		require.Nil(t, server.sender.buffers[i], "buffer %d", i)
	}
}

// A send buffer smaller than one joined message must not cost its datagrams.
func TestSmallWriteBufferStillSends(t *testing.T) {
	s, err := Listener{Addr: "127.0.0.1:0", WriteBuffer: 1}.Listen()
	require.NoError(t, err)
	defer s.Close()
	c, err := Dialer{}.Dial(s.LocalAddr())
	require.NoError(t, err)
	defer c.Close()
	batch := make([]transport.Datagram, 50)
	for i := range batch {
		batch[i] = transport.Datagram{Addr: c.LocalAddr(), Data: make([]byte, entangle.MaxDatagram)}
	}
	sent, err := s.Send(batch)
	require.NoError(t, err)
	assert.Equal(t, len(batch), sent)
}
