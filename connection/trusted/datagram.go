package trusted

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
)

// kind is the first byte of a datagram.
type kind uint8

const (
	kindHello     kind = iota // of a client that is not connected: protocol id, user data
	kindKeepAlive             // nothing
	kindPayload
	kindGoodbye // why the sender ends or refuses a connection, as text
)

const (
	headSize  = 1 + 8 + 8 + 8 // kind, client id, number of the connection, sequence
	helloSize = 8 + connection.MaxUserData
	maxReason = 200
)

// bodySizes are the least and the greatest size of what follows the head, by kind.
var bodySizes = [...][2]int{{helloSize, helloSize}, {0, 0}, {1, entangle.MaxPayload}, {0, maxReason}}

// wellFormed reports whether a datagram has a size of its kind.
func wellFormed(b []byte) bool {
	n := len(b) - headSize
	return n >= 0 && int(b[0]) < len(bodySizes) && n >= bodySizes[b[0]][0] && n <= bodySizes[b[0]][1]
}

func clientOf(b []byte) entangle.ClientID {
	return entangle.ClientID(binary.LittleEndian.Uint64(b[1:]))
}
func numberOf(b []byte) uint64   { return binary.LittleEndian.Uint64(b[9:]) }
func sequenceOf(b []byte) uint64 { return binary.LittleEndian.Uint64(b[17:]) }

func appendDatagram(dst []byte, k kind, client entangle.ClientID, number, sequence uint64, body []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(append(dst, byte(k)), uint64(client))
	dst = binary.LittleEndian.AppendUint64(dst, number)
	return append(binary.LittleEndian.AppendUint64(dst, sequence), body...)
}

// window records which of the 64 newest sequences were received, as some networks repeat datagrams.
type window struct {
	newest uint64
	seen   uint64 // bit i is set if newest-i was received
}

// mark records a sequence, and reports whether it is new. Older ones than the window count as lost.
func (w *window) mark(sequence uint64) (isNew bool) {
	if sequence > w.newest {
		w.newest, w.seen = sequence, w.seen<<(sequence-w.newest)
	}
	bit := uint64(1) << (w.newest - sequence)
	isNew = bit&^w.seen != 0
	w.seen |= bit
	return isNew
}

// drop is why a datagram has no effect. Those before unmatched are refusals.
type drop int

const (
	full drop = iota
	taken
	otherGame
	unmatched
	none
)

var refusals = [...]error{
	connection.ErrServerFull, connection.ErrAlreadyConnected, fmt.Errorf("%w: the server runs another game", connection.ErrProtocolMismatch),
}

// errorOf returns the error for a goodbye. A client's cannot be a refusal.
func errorOf(goodbye []byte, ofServer bool) error {
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' ' // it could forge a line of a log, or an escape sequence of a terminal
		}
		return r
	}, string(goodbye))
	for _, err := range refusals {
		if ofServer && text == err.Error() {
			return err
		}
	}
	if text == "" {
		return connection.ErrClosed
	}
	return connection.Goodbye(text)
}
