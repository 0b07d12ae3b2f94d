package session

import (
	"encoding/binary"

	"github.com/entangle-ecs/entangle/transport/token"
)

// request is a connection request, the only packet that is not encrypted. Its nonce and sealed part
// alias the datagram.
type request struct {
	protocolID, expires uint64
	nonce, sealed       []byte
}

func (r *request) appendTo(dst []byte) []byte {
	dst = append(dst, byte(kindRequest))
	dst = append(dst, token.Version...)
	dst = binary.LittleEndian.AppendUint64(dst, r.protocolID)
	dst = binary.LittleEndian.AppendUint64(dst, r.expires)
	dst = append(dst, r.nonce...)
	return append(dst, r.sealed...)
}

func readRequest(b []byte) (request, bool) {
	if len(b) != requestSize || b[0] != byte(kindRequest) || string(b[1:1+len(token.Version)]) != token.Version {
		return request{}, false
	}
	b = b[1+len(token.Version):]
	return request{
		protocolID: binary.LittleEndian.Uint64(b),
		expires:    binary.LittleEndian.Uint64(b[8:]),
		nonce:      b[16 : 16+token.NonceSize],
		sealed:     b[16+token.NonceSize:],
	}, true
}

// id identifies the token by its authentication code. Without the server's key, nobody can make a
// token with the same code and other content.
func (r *request) id() tokenID { return tokenID(r.sealed[token.PrivateSize-tagSize:]) }
