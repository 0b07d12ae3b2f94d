package socket

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/transport"
)

// line is a Conn that records its calls.
type line struct {
	waiting int // datagrams that are still to be received
	fails   error
	record  []string
}

func (l *line) LocalAddr() netip.AddrPort { return netip.MustParseAddrPort("192.0.2.1:9") }

func (l *line) Receive(buf []byte) (int, netip.AddrPort, error) {
	if l.fails != nil {
		return 0, netip.AddrPort{}, l.fails
	}
	if l.waiting == 0 {
		return 0, netip.AddrPort{}, transport.ErrEmpty
	}
	l.waiting--
	return copy(buf, "datagram"), peerAt(1), nil
}

func (l *line) Send(batch []transport.Datagram) (int, error) {
	for _, d := range batch {
		l.record = append(l.record, fmt.Sprintf("%s to %v", d.Data, d.Addr.Port()))
	}
	return len(batch), l.fails
}

func (l *line) Close() error { return nil }

func (l *line) Admit(addr netip.AddrPort) {
	l.record = append(l.record, fmt.Sprint("admit ", addr.Port()))
}

func (l *line) Dismiss(addr netip.AddrPort) {
	l.record = append(l.record, fmt.Sprint("dismiss ", addr.Port()))
}

func peerAt(port uint16) netip.AddrPort {
	return netip.AddrPortFrom(netip.MustParseAddr("192.0.2.2"), port)
}

// A flood does not block a frame: datagrams beyond the bound wait for the next frame.
func TestAFrameReadsABoundedNumber(t *testing.T) {
	s := New(&line{waiting: maxReads + 10})
	for _, want := range []int{maxReads, 10, 0} {
		n := 0
		for _, _, err := s.Receive(); err == nil; _, _, err = s.Receive() {
			n++
		}
		assert.Equal(t, want, n)
	}
	assert.Equal(t, connection.Traffic{PacketsIn: maxReads + 10, BytesIn: 8 * (maxReads + 10)}, s.Traffic())
}

// The Conn learns of former clients after the last datagrams for them were sent. A client that has
// reconnected before that is not dismissed.
func TestDismissalsComeAfterTheLastDatagram(t *testing.T) {
	l := &line{}
	s := New(l)
	s.Admit(peerAt(1))
	s.Admit(peerAt(2))
	s.Out.Put(peerAt(1), []byte("goodbye"))
	s.Dismiss(peerAt(1))
	s.Dismiss(peerAt(2))
	s.Admit(peerAt(2))
	require.NoError(t, s.Flush())
	require.NoError(t, s.Flush())
	assert.Equal(t, []string{"admit 1", "admit 2", "goodbye to 1", "dismiss 1"}, l.record)
	assert.Equal(t, connection.Traffic{PacketsOut: 1, BytesOut: 7}, s.Traffic())
}

// A Conn that is a Filterer gets the filter, and its drops are reported by reason.
func TestAFiltererGetsTheFilter(t *testing.T) {
	l := &line{}
	assert.Equal(t, Drops{}, NewServer(l, nil).Drops(), "it can't")
	f := &filtering{line: l}
	s := NewServer(f, func(data []byte, client bool) bool { return client && len(data) == 3 })
	require.True(t, f.filter([]byte("yes"), true))
	require.False(t, f.filter([]byte("yes"), false))
	assert.Equal(t, []connection.Dropped{
		{Reason: "bad form", Count: 2}, {Reason: "no connection", Count: 8}, {Reason: "queue of strangers full", Count: 4}, {Reason: "queue of client full", Count: 6},
	}, s.Drops().Plus(s.Drops()).AppendTo(nil))
}

// filtering is a line that drops datagrams when they arrive.
type filtering struct {
	*line
	filter transport.Filter
}

func (f *filtering) SetFilter(filter transport.Filter) { f.filter = filter }

func (f *filtering) Drops() transport.Drops {
	return transport.Drops{Form: 1, Strange: 4, StrangersFull: 2, ClientFull: 3}
}

// The error of a broken socket names its address and wraps the cause.
func TestErrorsOfABrokenSocketNameIt(t *testing.T) {
	l := &line{fails: transport.ErrClosed}
	s := New(l)
	_, _, err := s.Receive()
	assert.ErrorIs(t, err, transport.ErrClosed)
	assert.ErrorContains(t, err, "the socket at 192.0.2.1:9 is broken")
	require.NoError(t, s.Flush(), "no datagram was queued")
	s.Out.Put(peerAt(1), []byte("x"))
	assert.ErrorIs(t, s.Flush(), transport.ErrClosed)
	assert.False(t, s.Local())
}

// Buffers circulate: a slot's outbox gets empty buffers from the socket's outbox in return for full
// ones.
func TestOutboxesKeepTheirMemory(t *testing.T) {
	s := New(silent{&line{}})
	var slot Outbox
	frame := func() {
		for range 10 {
			slot.Add(peerAt(1), append(slot.Next(), "datagram"...))
		}
		slot.Free(slot.Next())
		slot.MoveTo(&s.Out)
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		frame()
	}
	assert.Zero(t, testing.AllocsPerRun(10, frame))
	assert.Zero(t, slot.Len())
}

// silent is a Conn that does nothing.
type silent struct{ transport.Conn }

func (silent) Send(batch []transport.Datagram) (int, error) { return len(batch), nil }
