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
//   - An input is a component, too: that it is there is replicated, its value is not.
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
//	a value:  Plan.Encode, Decode, Equal, Round, EncodeDelta, DecodeDelta and SkipDelta
//	          on memory; EncodeValue, DecodeValue, EqualValues, Plan.Discard for types with text
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
// # Differences
//
// A difference (EncodeDelta) goes field by field, as they are declared; a field is a
// number, flag, entity or quat, or an array of one kind of them. Angles, and floats
// with a range, of more than 4 bits and in arrays of up to 8, are positions; they and
// quats are always written. Other fields have 1 bit, 1 if they changed. If there is a
// position or a quat, and two fields or more that are no positions, one bit stands in
// front: 1 if all is as usual, that is, all quats begin with 0 and all other bits are
// 0, and then none of these is written.
//
// A position is written as the step from the index that is expected. That is the
// base's; or, with an older base, where the step from the older to the base leads
// again, stretched by Ahead/Apart and rounded, halves away from zero, and not beyond
// the ends. Angles go around, and step the shorter way. What changed is written:
// unpacked numbers and entities, unless there is one, each behind 1 bit whether it
// changed, in full; flags in full; integers with a range as steps if they have more
// than 4 bits, as positions in long arrays are, else in full; arrays of structs each
// behind 1 bit whether it changed, as values without the bit in front.
//
// The class of a step is how many bits its magnitude has. A step is the code of its
// class; its sign, 1 if negative, unless the class is 0 or the code tells it; and the
// magnitude without its highest bit. Codes are given out by rising length, in one
// length by rising class and the expected sign first, and go highest bit first.
// There is one for each class that may be expected:
//
//	expected             bits of the codes
//	nothing              0: 4, 1 to 5: 3, 6 to 9: 4, far: 4
//	nothing, of a quat   0 to 6: 3, 7 to 9: 4 5 6, far: 6
//	0                    0 to 4: 1 2 3 4 5, 5 6: 7, 7 to 9: 8, far: 8
//	1                    0 to 6: 2 2 2 3 4 5 6, 7 to 9: 8, far: 8
//	2                    0 to 9: 2 2 3 3 3 4 5 6 7 8, far: 8
//	2, of a quat         0 to 9: 3 3 2 2 3 4 5 6 7 8, far: 8
//	3 and more           0: 4; 4 below to 4 above: 5 4 3 3 3 3 3 3 4; far: 5
//	3, of a quat         0: 4; 4 below to 4 above: 5 4 3 3 2 3 3 4 6; far: 6
//	1, and a sign        0: 2; 1 to 9: 2 3 4 6 6 7 8 8 8, with the other sign 3 4 5 6 7 8 8 8 8; far: 8
//	2, and a sign        0: 3; 1 to 9: 3 2 3 4 5 7 7 8 8, with the other sign 4 4 4 5 6 7 8 8 8; far: 8
//	3, and a sign        0: 5; 4 below to 4 above: 7 6 5 3 1 3 5 7 8, with the other sign 8 7 6 5 6 6 7 8 8; far: 6
//
// Behind far, 6 bits are the class of a step, with its sign, or 63: then the index
// follows in full, as it does for steps of a class above its bits less 2. The lengths
// are those that fit bodies that are pushed about: near the expected class, each
// further one is about half as likely.
//
// What is expected of a number is the class nearest to its level in the trail, and the
// sign of its last step (1 where that was not below 0), if a value went before in the
// record. A level is in quarters of a class, and is half of the level before and half of
// the last step's, rounded down; the first is that of the first step. The first 16 numbers
// of a value have a trail. Else, and always of numbers behind a bit or in arrays of
// structs, what is expected is less by one than the largest class so far among the
// positions that are alike and follow each other, at least 0; and of the first of them
// nothing.
//
// A quat has three steps, and 0 in front. With a trail of all three, the first is expected
// to be of the class nearest to the mean of their levels, rounded down; the others of that
// and half of the mean by which those before were above their own levels, both rounded
// towards 0. Without, the first is expected, behind another quat of its array, as
// the largest of these less one; else as the positions that were the field before, but
// at most of class bits/2+1; else nothing. The second is expected to be of the mean,
// rounded up, of what the positions said and of the largest class so far
// in this field, less one; the third, or the second where neither said anything, of
// the largest so far, less one; both at least 0. In place of the 0 stands 10 for
// no steps; 11 and 2 bits other than 0 where the largest component is so many
// places further on, and the steps count from the expected rotation with that one
// left out; 1100 where the code follows in full, as it does if a step is of a class
// above bits-2. The expected rotation is the base's; or, with an older base, the arc
// from the older to the base, gone on, in whole numbers as in turnOn.
//
// A difference of a Differ is a Uvarint: 0, and the whole value follows; or one more
// than the bits that follow.
//
// # Learned codes
//
// Codes (Codes, Tally) replace the codes of classes, of numbers that have a trail, by number
// and by what is expected of it: one of 22 contexts, which are classes 0 to 8, 9 and more, and
// nothing, each without and with a sign that is expected (which is so of classes above 0
// alone). Number n of a value, counted from 0, has the contexts from 22n on. What has no code
// there goes behind far, and so does what has none of the class 0, then without a sign.
//
// They are told by 7 bits, for how many contexts, at least 1; then for each, rising, a Uvarint,
// how many are skipped since the one before, and the bits of the codes, of the expected sign
// first where there is one: for each place from 0 on, but for far, 1 bit whether there is
// a code, and then 3 bits, its length less 1; of far the 3 bits alone. The codes take up all
// bits. At most 64 contexts have codes of their own.
//
// # Entries
//
// A list of entries is a Uvarint, how many, and for each three Uvarints, kind, number
// and length of the name, then the name and 64 bits of hash; zero bits to a whole
// byte.
package protocol
