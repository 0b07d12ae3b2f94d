// Package wire encodes the values of registered types: it compiles a Go type, with its struct
// tags, into a Plan once, and the plan then encodes, decodes, compares and rounds values.
//
// # What it guarantees
//
//   - A decoded value encodes to the same bits again. Two values are equal if their bits are;
//     Plan.Equal compares them without encoding.
//   - A peer's bytes never panic, and never allocate more than 64 KiB and 16 bytes for each of
//     theirs. Bits that Encode cannot have written are an error.
//   - The same value gives the same bits on every machine.
//
// # What it does not
//
// It does not know what is registered: that is package registry. It does not run on big-endian
// machines: values lie in memory as they do on the wire. It does not check that text is UTF-8.
// A codec of the game's own must keep the guarantees itself.
//
// # How to drive it
//
//	Compile, CodecPlan, ComponentPlan, ValuePlan     a plan of a type; a TypeError per mistake
//	Plan.Encode, Decode, Equal, Round                values without pointers, given as memory
//	EncodeValue, DecodeValue, EqualValues, Discard   values with text and slices
//	Plan.EncodeAny, DecodeAny, EqualAny              the same for a type known by its plan alone
//	Plan.EncodeDelta, DecodeDelta, SkipDelta         differences from a baseline
//	Plan.RoundColumn, Plan.Short, ShortRun           many values of a column at once
//	Plan.MapRefs, SetRef, Placeholder                entities in values that arrive later
//
// A plan has no state: any number of goroutines may use one.
//
// Package stepcode has the prefix codes of differences, package blend interpolates values.
//
// # The wire
//
// A value is its fields in order, without padding, packed in bits as package bits
// describes: least significant bit first. Blank fields and those tagged "-" take
// nothing.
//
//	bool                    1 bit
//	intN, uintN, floatN     N bits, as they are; complex as two floats
//	int, uint               64 bits on every machine
//	integer with a range    value - low, in the bits that high - low takes
//	float with a range      index, in the bits that the last index takes
//	angle                   index, in the bits that the last index takes
//	quat                    2 bits: the place of the component of largest magnitude;
//	                        then, from the one behind it around, k+m of the other three
//	entity                  Uvarint: 0 for the zero entity, else its place in the table
//	                        of references, which stands in front and counts from 1
//	array                   its elements
//	text, []byte            Uvarint: bytes; then these
//	slice                   Uvarint: elements; then these
//	type with a codec       the bits that the codec writes
//
// A range is divided into n = ceil((high-low)/step) equal steps, so the last index is
// n. The index is the nearest, halves to the even one. Index i stands for
// (low/s + i) * s where s = (high-low)/n and low is a multiple of it, so that zero is
// exactly zero, and else for low + i*s.
//
// An angle has n steps to the turn, 2^bits or ceil(2*pi/step). Index i stands for
// i*2*pi/n, up to half a turn, and for i-n beyond.
//
// For a quat, m = 2^(bits-1)-1, and the three are sent as k = component * m * sqrt(2),
// after all four were divided by the sign of the largest, which is left out. Codes
// are canonical if the sum of the three k*k and once more the largest of them is at
// most 2*m*m - max(1, m*m/2^20): the left-out one is then larger than the others by
// more than the precision of a float32. The encoder shortens the longest until they are; the
// decoder refuses others.
//
// # Differences
//
// A difference (EncodeDelta) goes field by field, as they are declared; a field is a
// number, flag, entity or quat, or an array of one kind of them. Angles, and floats
// with a range, of more than 4 bits and in arrays of up to 8, are positions; they and
// quats are always written. Other fields have 1 bit, 1 if they changed. If there is a
// position or a quat, and two fields or more that are no positions, one bit stands in
// front: 1 if all quats begin with 0 and all other bits are 0; then none of these is
// written.
//
// A position is written as the step from its expected index. That is the baseline's; or,
// with a previous baseline, the step from the previous one to the baseline is made again,
// stretched by Ahead/Between and rounded, halves away from zero, and not beyond
// the ends. Angles go around, and step the shorter way. Of the other fields that changed,
// unpacked numbers and entities are written in full, each behind 1 bit whether it
// changed unless the field is a single one; flags in full; integers with a range as steps if
// they have more than 4 bits, as positions in long arrays are, else in full; arrays of structs
// each behind 1 bit whether it changed, as values without the bit in front.
//
// A step is coded as package stepcode describes. A step of a class above the bits of its number
// less 2 is not: the index follows in full.
//
// A quat has three steps, and 0 in front. In place of the 0 stands 10 for
// no steps; 11 and 2 bits other than 0 where the largest component is so many
// places further on, and the steps count from the expected rotation with that one
// left out; 1100 where the code follows in full, as it does if a step is of a class
// above bits-2. The expected rotation is the baseline's; or, with a previous baseline, the arc
// from the previous one to the baseline, continued, in whole numbers as in turnOn.
//
// A difference of a Differ is a Uvarint: 0, and the whole value follows; or one more
// than the bits that follow.
package wire
