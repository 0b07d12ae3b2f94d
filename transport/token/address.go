package token

import (
	"encoding/binary"
	"net/netip"
)

// Address types on the wire.
const (
	typeIPv4 = 1
	typeIPv6 = 2
)

func appendServers(dst []byte, servers []netip.AddrPort) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(servers)))
	for _, server := range servers {
		dst = appendServer(dst, server)
	}
	return dst
}

func appendServer(dst []byte, server netip.AddrPort) []byte {
	if server.Addr().Is4() {
		ip := server.Addr().As4()
		dst = append(append(dst, typeIPv4), ip[:]...)
		return binary.LittleEndian.AppendUint16(dst, server.Port())
	}
	dst = append(dst, typeIPv6)
	ip := server.Addr().As16()
	for i := 0; i < len(ip); i += 2 {
		dst = append(dst, ip[i+1], ip[i]) // each group of 16 bits is little-endian
	}
	return binary.LittleEndian.AppendUint16(dst, server.Port())
}

// servers reads a list of 1 to MaxServers addresses; ok is false for anything else. It
// allocates the list only after it has checked the count.
func (r *reader) servers() (list []netip.AddrPort, ok bool) {
	count := r.u32()
	if count < 1 || count > MaxServers {
		return nil, false
	}
	list = make([]netip.AddrPort, 0, count)
	for range count {
		server, ok := r.server()
		if !ok {
			return nil, false
		}
		list = append(list, server)
	}
	return list, true
}

func (r *reader) server() (netip.AddrPort, bool) {
	var ip netip.Addr
	switch r.u8() {
	case typeIPv4:
		var b [4]byte
		copy(b[:], r.nextBytes(4))
		ip = netip.AddrFrom4(b)
	case typeIPv6:
		var b [16]byte
		copy(b[:], r.nextBytes(16))
		for i := 0; i < len(b); i += 2 {
			b[i], b[i+1] = b[i+1], b[i]
		}
		ip = netip.AddrFrom16(b)
	default:
		return netip.AddrPort{}, false
	}
	port := r.u16()
	return netip.AddrPortFrom(ip, port), !r.short && port != 0
}
