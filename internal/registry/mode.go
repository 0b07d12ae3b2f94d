package registry

import (
	"fmt"
)

// Mode is a protocol.Mode, the guarantees of a channel.
type Mode uint8

// The modes of package protocol.
const (
	OrderedReliable Mode = iota
	UnorderedReliable
	SequencedReliable
	SequencedUnreliable
	UnorderedUnreliable
	modes
)

// String returns the name of the constant.
func (m Mode) String() string {
	names := [modes]string{"OrderedReliable", "UnorderedReliable", "SequencedReliable", "SequencedUnreliable", "UnorderedUnreliable"}
	if !m.Valid() {
		return fmt.Sprintf("Mode(%d)", uint8(m))
	}
	return names[m]
}

// Valid reports whether m is one of the constants.
func (m Mode) Valid() bool { return m < modes }
