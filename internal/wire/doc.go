// Package wire encodes the values of registered types: it compiles a Go type, with its struct tags,
// into a Plan. The plan then encodes, decodes, compares and rounds values.
//
// # What it guarantees
//
//   - If a decoded value is encoded again, the bits are the same. Two values are equal if their
//     bits are; Plan.Equal compares them without encoding.
//   - Decoding the bytes of a peer never panics, and never allocates more than 64 KiB plus 16
//     bytes for each byte read. Bits that Encode cannot have written are an error.
//   - Equal values have equal bits on all machines.
//
// # What it does not guarantee
//
// It does not know which types are registered: that is package registry. It does not run on
// big-endian machines, because it relies on values being in memory as they are on the wire. It does
// not check that text is UTF-8. If a game registers its own codec for a type, the codec must keep
// these guarantees itself.
//
// # How to drive it
//
//	Compile, CodecPlan, ComponentPlan, ValuePlan     a plan of a type; a TypeError for each mistake
//	Plan.Encode, Decode, Equal, Round, Outside       values without pointers, given as memory
//	EncodeValue, DecodeValue, EqualValues, Discard   values with text and slices
//	Plan.EncodeAny, DecodeAny, EqualAny              the same if only the plan knows the type
//	Plan.EncodeDelta, DecodeDelta, SkipDelta         differences from a baseline
//	Plan.RoundColumn, Plan.Short, ShortRun           many values of a column at once
//	Plan.MapRefs, SetRef, Placeholder                references to entities that arrive later
//
// A plan is not changed by its use: any number of goroutines may use one.
//
// Package stepcode has the prefix codes of differences, package blend interpolates values.
//
// # The wire
//
// A value consists of its fields in order, without padding, packed in bits as package bits
// describes: least significant bit first. Blank fields and those with the tag "-" are not sent.
//
//	bool                    1 bit
//	int8, int16, uint8, uint16, floats
//	                        as they are; complex numbers as two floats
//	int32, int64, uint32, uint64, int, uint
//	                        2 bits: the form; then the number, see below; int and uint are
//	                        64-bit integers on every machine
//	integer with a range    value - low, in as many bits as high - low needs
//	float with a range      index, in as many bits as the last index needs
//	angle                   index, in as many bits as the last index needs
//	quat                    2 bits: position of the component of largest magnitude; then
//	                        k+m of the other three, in the order that follows it, going around
//	entity                  Uvarint: 0 for the zero entity, otherwise the entity's position
//	                        in the table of references that precedes the body, from 1
//	array                   its elements
//	text, []byte            Uvarint: number of bytes; then the bytes
//	slice                   Uvarint: number of elements; then the elements
//	type with a codec       the bits that the codec writes
//
// The forms of integers without a range are 2 bits for 0 to 3, 8 bits for the 256 numbers that
// follow, 20 bits for the 2^20 numbers that follow, and all bits, as they are, for the others. Signed
// integers are mapped to 0, -1, 1, -2, 2, ... first. A number in the last form that has a shorter one
// is refused.
//
// A range is divided into n = ceil((high-low)/step) equal steps of s = (high-low)/n, so the last
// index is n. A value is sent as the nearest index; halves are rounded to the even one. If low is a
// multiple of s, index i stands for (low/s + i) * s, so that zero is exactly zero; otherwise for
// low + i*s.
//
// An angle has n steps per turn: n is 2^bits or ceil(2*pi/step). Index i stands for i*2*pi/n up to
// half a turn, and beyond that for (i-n)*2*pi/n.
//
// For a quat, m = 2^(bits-1)-1. All four components are divided by the sign of the largest, which
// is left out. The other three are sent as k = component * m * sqrt(2). A code is canonical if the
// sum of the three k*k, plus the largest of these k*k once more, is at most 2*m*m - max(1,
// m*m/2^20): then the component that is left out is larger than the others by more than the
// precision of a float32. If a code is not canonical, the encoder shortens the longest of the three
// until it is; the decoder refuses it.
//
// # Differences
//
// A difference (EncodeDelta) has the fields in the order in which they are declared. A field is a
// number, flag, entity or quat, or an array of one kind of these. Angles and floats with a range
// are called positions if they have more than 4 bits and are not in an array of more than 8.
// Positions and quats are always written. Every other field begins with 1 bit: 1 if it changed. If
// a type has a position or a quat, and at least two fields that are not positions, its value begins
// with 1 more bit: it is 1 if all quats would begin with 0 and all fields with that bit have not
// changed. The quats and fields then have no such bits of their own.
//
// A position is written as the step from its expected index. With one baseline, the expected index
// is that of the baseline. With a previous baseline, the step from the previous baseline to the
// baseline is multiplied by Ahead/Between, rounded with halves away from zero, and added to the
// index of the baseline, within the range. Angles wrap around and step the shorter way.
//
// Other fields that changed are written as follows. Unpacked numbers and entities are written in
// full; in an array, each has 1 bit in front for whether it changed. Flags are written in full.
// Integers with a range, and the other angles and floats with a range, are written as steps if they
// have more than 4 bits, otherwise in full. In an array of structs, each has 1 bit for whether it
// changed, and then follows as a value does, but without the bit that begins a value.
//
// A step is coded as package stepcode describes. If its class is above the bits of its number minus
// 2, the index follows in full instead.
//
// A quat is 0 and then three steps, or one of the following. The bits 10 mean that it is exactly
// the expected rotation. The bits 11, followed by 2 bits that are not 0, mean that the largest
// component is so many positions further on than expected; three steps follow, which count from the
// expected rotation with that component left out. The bits 1100 mean that the code follows in full,
// because a step would be of a class above bits-2. With one baseline, the expected rotation is that
// of the baseline. With a previous baseline, it continues the arc from the previous baseline to the
// baseline, computed with integers as turnOn does.
//
// A difference of a Differ begins with a Uvarint. It is 0 if the whole value follows, otherwise one
// more than the number of bits that follow.
package wire
