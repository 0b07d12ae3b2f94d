// Package protocol is what both sides of a game agree on: which components,
// inputs, messages, requests, resources and channels exist, and how their values
// go over the wire.
//
// A game registers in one function that server and client share:
//
//	p := protocol.New(protocol.Config{Name: "my game"})
//	protocol.Component[Position](p).Predict(protocol.Full).Interpolate(protocol.Linear)
//	protocol.Input[Steer](p)
//	protocol.Message[Chat](p).Relay()
//
// and has one test that asks p.Err() whether that is right.
//
// # What it guarantees
//
//   - Mistakes are collected, never panicked: Err joins them, each a *SetupError
//     with a sentence that says what to do.
//   - Numbers are dense per kind and follow the sorted names of types, so they do
//     not depend on the order of registration.
//   - Hash is equal on all machines for what is equal, and Diff names what is not.
//   - A value that was decoded encodes to the same bits again. Two values are equal
//     if their bits are; Plan.Equal says so without encoding them.
//   - Bytes of a peer never panic and never allocate more than 64 KiB and 16 bytes
//     for each of theirs. What Encode cannot have written is an error.
//   - Components, inputs and rolled back resources hold no Go pointers: Arche moves
//     them as raw bytes.
//
// # What it does not
//
// It does not run on big-endian machines: values lie in memory as they do on the
// wire. It does not check that text is UTF-8. Codecs of a game's own must keep
// these promises themselves.
//
// # How to drive it
//
//	set-up:   New; Component, Input, Message, Request, Resource, Local, Channel, with
//	          their options; Err
//	plugin:   Seal; Components, ComponentOf and so on; Hash, Entries, AppendEntries,
//	          ParseEntries, Diff; String
//	a value:  Plan.Encode, Decode, Equal, Round, EncodeDelta, DecodeDelta on memory;
//	          EncodeValue, DecodeValue, EqualValues, Plan.Discard for types with text
//
// Registering is for one goroutine. After Seal everything may be used by many.
//
// # Struct tags
//
//	`net:"range=-512..512,step=0.01"`  a float, in steps of at most 0.01, both limits included
//	`net:"range=0..100"`               an integer, in as few bits as that takes
//	`net:"angle"`                      a float in radians, in 12 bits; or angle,bits=16; or angle,step=0.001
//	`net:"quat"`                       a rotation, 4 floats, in 2+3*9 bits; or quat,bits=12 (3 to 16)
//	`net:"event"`                      of an input: not repeated when an input is missing
//	`net:"max=200"`                    a text, []byte or slice in a message: at most so many
//	`net:"-"`                          not sent: zero on the other side
//
// A tag on a struct, array or slice holds for every number in it that has none of
// its own; max holds for the outermost list. Without max, texts and []byte may have
// 1024 bytes, slices 256 elements.
//
// A number outside its range is sent as the nearest limit and counted; half a step
// beyond a limit still counts as that limit. NaN is sent as the value nearest to
// zero and counted. An angle keeps no whole turns; what is none (NaN, infinities)
// is sent as 0 and counted. A quaternion of another length than 1 is normalised; what
// has no direction is sent as the identity (the field W is 1, or the fourth) and
// counted. Floats without a tag keep every bit, NaN too.
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
//	type with a codec       what the codec writes
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
// what a float32 can tell. The encoder shortens the longest until they are; the
// decoder refuses others.
//
// A difference (EncodeDelta) has for each field 1 bit, 0 if it is equal to the
// base's. On a 1 follows: for a run of unpacked numbers or entities, for each, unless
// it is the only one, 1 bit whether it changed, and it in full if so; flags in full;
// for indexes of at most 4 bits the index; for other indexes 0 and a Varint, the step
// from the base's index, if that takes fewer bits than the index, else 1 and the
// index (angles step the shorter way around); for a quat 0 and three Varints, the
// steps of the three k, if the largest is the same component and that takes fewer
// bits than the code, else 1 and the code; for an array of structs the fields of each
// element, as here. A field is a number, flag, entity or quat, or an array of one
// kind of them.
//
// A list of entries is a Uvarint, how many, and for each three Uvarints, kind, number
// and length of the name, then the name and 64 bits of hash; zero bits to a whole
// byte.
package protocol
