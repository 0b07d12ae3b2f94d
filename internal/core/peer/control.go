package peer

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/entangle-ecs/entangle"
)

// controlKind is the first byte of a control message.
type controlKind uint8

const (
	hello      controlKind = iota + 1 // registry hash u64, client id u64 (0 from a client)
	entries                           // the registry's entries, as their owner encodes them
	nowJoining                        // u32: the number of groups that exist for the peer
	allJoined                         // without a body: the peer has received all these groups
)

// String returns the name of the kind in docs/PROTOCOL.md.
func (k controlKind) String() string {
	names := [...]string{hello: "hello", entries: "entries", nowJoining: "joining", allJoined: "joined"}
	if k == 0 || int(k) >= len(names) {
		return fmt.Sprintf("unknown kind %d", uint8(k))
	}
	return names[k]
}

// ErrControl means that a control message is malformed, or not allowed in this state.
var ErrControl = errors.New("peer: malformed control message")

const helloSize = 1 + 8 + 8

func appendHello(dst []byte, hash uint64, id entangle.ClientID) []byte {
	dst = append(dst, byte(hello))
	dst = binary.LittleEndian.AppendUint64(dst, hash)
	return binary.LittleEndian.AppendUint64(dst, uint64(id))
}

func parseHello(b []byte) (hash uint64, id entangle.ClientID, err error) {
	if len(b) != helloSize {
		return 0, 0, ErrControl
	}
	return binary.LittleEndian.Uint64(b[1:]), entangle.ClientID(binary.LittleEndian.Uint64(b[9:])), nil
}
