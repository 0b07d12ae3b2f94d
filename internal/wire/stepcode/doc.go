// Package stepcode encodes the steps of differences in few bits. A step is the distance from the
// expected index of a quantised number to its index. Package wire computes the steps.
//
// The class of a step is the number of bits of its magnitude. Classes near the expected one have
// short codes. Which class is expected depends on steps that were written before and never on
// values, so that a reader without a baseline can parse a difference too.
//
// A Course computes what is expected of each step of one value. A Trail passes what is known of one
// value of a record to the next.
//
// # Steps
//
// A step consists of the code of its class; its sign, which is 1 if negative, unless the class is 0
// or the code includes the sign; and the magnitude without its highest bit. Each expected class has
// a prefix code of its own, given below by the lengths of its codes. Codes are assigned by rising
// length; among codes of one length by rising class, and for one class the expected sign first.
// They are sent highest bit first. "Far" is the code for all classes without a code.
//
//	expected class       bits of the codes, by class
//	none                 0: 4, 1 to 5: 3, 6 to 9: 4, far: 4
//	none, of a quat      0 to 6: 3, 7 to 9: 4 5 6, far: 6
//	0                    0 to 4: 1 2 3 4 5, 5 6: 7, 7 to 9: 8, far: 8
//	1                    0 to 6: 2 2 2 3 4 5 6, 7 to 9: 8, far: 8
//	2                    0 to 9: 2 2 3 3 3 4 5 6 7 8, far: 8
//	2, of a quat         0 to 9: 3 3 2 2 3 4 5 6 7 8, far: 8
//	3 or more            0: 4; 4 below to 4 above: 5 4 3 3 3 3 3 3 4; far: 5
//	3 or more, of a quat 0: 4; 4 below to 4 above: 5 4 3 3 2 3 3 4 6; far: 6
//	1, with a sign       0: 2; 1 to 9: 2 3 4 6 6 7 8 8 8, with the other sign 3 4 5 6 7 8 8 8 8; far: 8
//	2, with a sign       0: 3; 1 to 9: 3 2 3 4 5 7 7 8 8, with the other sign 4 4 4 5 6 7 8 8 8; far: 8
//	3 or more, w. a sign 0: 5; 4 below to 4 above: 7 6 5 3 1 3 5 7 8, with the other sign 8 7 6 5 6 6 7 8 8; far: 6
//
// After the code for far follow the class in 6 bits and then the sign; if these 6 bits are 63, the
// index follows in full and not a step. The lengths fit physics bodies that are pushed: near the
// expected class, each further class is about half as likely.
//
// # Expected classes
//
// The first 16 numbers of a value have a trail. If the record has an earlier value, the expected
// class of such a number is the one nearest to its level in the trail, and the expected sign is
// that of its last step (positive if that step was 0). A level is in quarters of a class. It is
// half of the previous level plus half of the last step's class, rounded down; the first level is
// the class of the first step. For all other numbers, and always for numbers of fields that have a
// bit for whether they changed or are in arrays of structs, the expected class is one less than the
// largest class so far in a sequence of positions of the same kind, and at least 0. For the first
// number of such a sequence no class is expected.
//
// A quat has three steps. If all three have a trail, the first is expected to be of the class
// nearest to the mean of their levels, rounded down. For the others, half of the mean by which the
// steps before them in this quat exceeded their own levels is added to that; both are rounded
// towards 0. Without a trail there are the following rules; no result is below 0. If the quat is
// not the first of its array, its first step is expected to have one less than the largest class so
// far in the field. If it is the first and the previous field is a position, the largest class in
// the sequence of positions up to there, but at most bits/2+1. Otherwise no class is expected. If
// the previous field is a position, the second step is expected to have one less than the mean,
// rounded up, of that largest class and the largest class so far in the field. Any other step has
// one less than the largest class so far in the field.
package stepcode
