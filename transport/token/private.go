package token

import (
	"encoding/binary"
	"net/netip"

	"github.com/entangle-ecs/entangle"
)

// Private is the half of a token that only backend and servers can read. Its
// secrets are the two keys.
type Private struct {
	ClientID entangle.ClientID

	// Timeout is how long either side waits for a packet, in whole seconds. Zero or negative: for
	// ever.
	Timeout int32

	// Servers that may admit the client, 1 to MaxServers.
	Servers []netip.AddrPort

	// ClientToServer and ServerToClient seal the packets of the connection.
	ClientToServer, ServerToClient Key

	// UserData is what the backend passes to the server, padded with zeros.
	UserData [MaxUserData]byte
}

// AppendPlain appends the 1008 plain bytes of the private half.
func (p *Private) AppendPlain(dst []byte) []byte {
	start := len(dst)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(p.ClientID))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(p.Timeout))
	dst = appendServers(dst, p.Servers)
	dst = append(dst, p.ClientToServer[:]...)
	dst = append(dst, p.ServerToClient[:]...)
	dst = append(dst, p.UserData[:]...)
	return pad(dst, start, plainSize)
}

// ParsePlain parses what AppendPlain returns: exactly 1008 bytes.
func (p *Private) ParsePlain(b []byte) error {
	if len(b) != plainSize {
		return ErrInvalid
	}
	r := reader{b: b}
	p.ClientID = entangle.ClientID(r.u64())
	p.Timeout = int32(r.u32())
	servers, ok := r.servers()
	if !ok {
		return ErrInvalid
	}
	p.Servers = servers
	copy(p.ClientToServer[:], r.nextBytes(KeySize))
	copy(p.ServerToClient[:], r.nextBytes(KeySize))
	copy(p.UserData[:], r.nextBytes(MaxUserData))
	if !r.padded() {
		return ErrInvalid
	}
	return nil
}
