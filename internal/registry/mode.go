package registry

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
	return nameOf(m, "Mode", "OrderedReliable", "UnorderedReliable", "SequencedReliable", "SequencedUnreliable", "UnorderedUnreliable")
}

// Valid reports whether m is one of the constants.
func (m Mode) Valid() bool { return m < modes }
