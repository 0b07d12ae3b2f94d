package udp

import (
	"encoding/binary"
	"errors"
	"net"
	"syscall"

	"github.com/entangle-ecs/entangle/transport"
)

// UDP generic segmentation: the kernel accepts one large message, passes it down its stack
// once, and splits it into datagrams of one size, of which the last may be shorter.
// Receivers see ordinary datagrams. See udp(7), UDP_SEGMENT.
const (
	// udpSegment is UDP_SEGMENT of linux/udp.h.
	udpSegment = 103

	// maxSegments is the smallest UDP_MAX_SEGMENTS of any kernel.
	maxSegments = 64

	// maxSegmented is the size of the largest message, in bytes: the range of the length
	// field of IP, less the headers of IPv6 and UDP and room for an option.
	maxSegmented = 65000

	segmentSizeBytes = 2
)

// canSegment reports whether the kernel supports the option (Linux 4.18 and later).
func canSegment(socket *net.UDPConn) bool {
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	known := false
	err = raw.Control(func(fd uintptr) {
		_, err := syscall.GetsockoptInt(int(fd), syscall.IPPROTO_UDP, udpSegment)
		known = err == nil
	})
	return err == nil && known
}

// newSegmentControl builds the control message with the segment size: a cmsghdr (its
// length as a machine word, level, type) and the size.
func newSegmentControl() []byte {
	b := make([]byte, syscall.CmsgSpace(segmentSizeBytes))
	length := uint64(syscall.CmsgLen(segmentSizeBytes))
	const word = syscall.SizeofCmsghdr - 8
	if word == 8 {
		binary.NativeEndian.PutUint64(b, length)
	} else {
		binary.NativeEndian.PutUint32(b, uint32(length))
	}
	binary.NativeEndian.PutUint32(b[word:], syscall.IPPROTO_UDP)
	binary.NativeEndian.PutUint32(b[word+4:], udpSegment)
	return b
}

// joins reports whether d can be one more segment of message m.
func (s *sender) joins(m int, batch []transport.Datagram, d *transport.Datagram) bool {
	segments := s.messages[m].Buffers
	size := len(segments[0])
	return batch[s.first[m]].Addr == d.Addr &&
		len(d.Data) <= size &&
		len(segments[len(segments)-1]) == size &&
		len(segments) < maxSegments &&
		s.sizes[m]+len(d.Data) <= maxSegmented
}

// extendMessage appends the last of the used buffers, which has size bytes, to message m.
func (s *sender) extendMessage(m, used, size int) {
	msg := &s.messages[m]
	count := len(msg.Buffers) + 1
	msg.Buffers = s.buffers[used-count : used]
	s.sizes[m] += size
	if count == 2 {
		msg.OOB = s.controls[m]
		binary.NativeEndian.PutUint16(msg.OOB[syscall.SizeofCmsghdr:], uint16(len(msg.Buffers[0])))
	}
}

// refused reports whether err means that a message cannot be segmented, but may be sent as
// single datagrams. A device without checksum offload (EIO) always refuses, so
// segmentation is switched off; the other errors concern the path of one peer.
func (s *sender) refused(err error) bool {
	if errors.Is(err, syscall.EIO) {
		s.segments = false
		return true
	}
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.EMSGSIZE)
}
