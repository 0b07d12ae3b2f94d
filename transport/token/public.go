package token

import (
	"encoding/binary"
	"net/netip"
)

// Public is the content of a token that its client can read. It holds both keys of the
// connection and is therefore as secret as the private half.
type Public struct {
	ProtocolID uint64

	// Created and Expires are seconds since 1970 by the minting machine's clock.
	Created, Expires uint64

	// Nonce and Sealed are the private half, opaque to the client.
	Nonce  [NonceSize]byte
	Sealed [PrivateSize]byte

	// Timeout is how long either side waits for a packet, in whole seconds. Zero or negative: for
	// ever.
	Timeout int32

	// Servers are the addresses to try, in this order.
	Servers []netip.AddrPort

	// ClientToServer and ServerToClient seal the packets of the connection.
	ClientToServer, ServerToClient Key
}

// Append appends the token's 2048 bytes.
func (p *Public) Append(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, Version...)
	dst = binary.LittleEndian.AppendUint64(dst, p.ProtocolID)
	dst = binary.LittleEndian.AppendUint64(dst, p.Created)
	dst = binary.LittleEndian.AppendUint64(dst, p.Expires)
	dst = append(dst, p.Nonce[:]...)
	dst = append(dst, p.Sealed[:]...)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(p.Timeout))
	dst = appendServers(dst, p.Servers)
	dst = append(dst, p.ClientToServer[:]...)
	dst = append(dst, p.ServerToClient[:]...)
	return pad(dst, start, Size)
}

// parse parses what Append returns: exactly 2048 bytes.
func (p *Public) parse(b []byte) error {
	r := reader{b: b}
	if len(b) != Size || string(r.nextBytes(len(Version))) != Version {
		return ErrInvalid
	}
	p.ProtocolID = r.u64()
	p.Created, p.Expires = r.u64(), r.u64()
	copy(p.Nonce[:], r.nextBytes(NonceSize))
	copy(p.Sealed[:], r.nextBytes(PrivateSize))
	p.Timeout = int32(r.u32())
	servers, ok := r.servers()
	if !ok || p.Expires < p.Created {
		return ErrInvalid
	}
	p.Servers = servers
	copy(p.ClientToServer[:], r.nextBytes(KeySize))
	copy(p.ServerToClient[:], r.nextBytes(KeySize))
	if !r.padded() {
		return ErrInvalid
	}
	return nil
}
