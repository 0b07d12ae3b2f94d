package peer

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// controlKind is the first byte of a control message.
type controlKind uint8

const (
	hello      controlKind = iota + 1 // registry hash u64, client id u64 (0 from a client)
	entries                           // the registry's entries, as their owner encodes them
	resync                            // handles u32 of the groups to be sent in full
	nowJoining                        // u32: the number of groups that exist for the peer
	allJoined                         // without a body: the peer has received all these groups
)

// String returns the name of the kind in docs/PROTOCOL.md.
func (k controlKind) String() string {
	names := [...]string{hello: "hello", entries: "entries", resync: "resync", nowJoining: "joining", allJoined: "joined"}
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

// maxResyncs is the most groups that one resync message requests.
const maxResyncs = 128

func appendResync(dst []byte, g repl.Handle) []byte {
	if len(dst) == 0 {
		dst = append(dst, byte(resync))
	}
	return binary.LittleEndian.AppendUint32(dst, uint32(g))
}

func parseResync(b []byte, each func(repl.Handle)) error {
	b = b[1:]
	if len(b)%4 != 0 || len(b) > 4*maxResyncs {
		return ErrControl
	}
	for ; len(b) > 0; b = b[4:] {
		g := binary.LittleEndian.Uint32(b)
		if repl.Handle(g) >= repl.EndOfHandles {
			return ErrControl
		}
		each(repl.Handle(g))
	}
	return nil
}
