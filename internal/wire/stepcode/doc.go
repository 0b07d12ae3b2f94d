// Package stepcode codes the steps of differences in few bits: a step is how far the index of a
// quantised number lies from its expected index. Package wire computes the steps.
//
// The class of a step is how many bits its magnitude has. Classes near the expected one have
// short codes. The expectation follows from steps that were written before and never from
// values, so that a reader without a baseline can parse a difference too.
//
// A Course says what to expect of each step of one value; a Trail carries that from one value
// of a record to the next. Codes replace the built-in ones with codes that StepCounts derived
// from the steps of a game.
//
// # Steps
//
// A step is the code of its class; its sign, 1 if negative, unless the class is 0 or the code
// includes it; and the magnitude without its highest bit. Codes are given out by rising length,
// in one length by rising class and the expected sign first, and go highest bit first.
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
// Behind far, 6 bits are the class of a step, with its sign, or 63: then the index follows in
// full. The lengths are those that fit bodies that are pushed about: near the expected class,
// each further one is about half as likely.
//
// # Expected classes
//
// The first 16 numbers of a value have a trail. If a value went before in the record, the
// expected class of such a number is the one nearest to its level in the trail, and the expected
// sign is that of its last step (1 where that was not below 0). A level is in quarters of a
// class, and is half of the level before and half of the last step's, rounded down; the first is
// that of the first step. Of all other numbers, and always of numbers behind a bit or in arrays
// of structs, the expected class is the largest class so far among the positions that are alike
// and follow each other, less one, at least 0; and of the first of them nothing.
//
// A quat has three steps. With a trail of all three, the first is expected
// to be of the class nearest to the mean of their levels, rounded down; the others of that
// and half of the mean by which those before were above their own levels, both rounded
// towards 0. Without, the first is expected, behind another quat of its array, as
// the largest of these less one; else as the positions that were the field before, but
// at most of class bits/2+1; else nothing. The second is expected to be of the mean,
// rounded up, of the expectation from the positions and of the largest class so far
// in this field, less one; the third, or the second where neither is known, of
// the largest so far, less one; both at least 0.
//
// # Learned codes
//
// Codes replace the codes of classes, of numbers that have a trail, by number and by expected
// class and sign: one of 22 contexts, which are classes 0 to 8, 9 and more, and nothing, each
// without and with an expected sign (which only classes above 0 have). Number n of a value,
// counted from 0, has the contexts from 22n on. A class without a code there is written behind
// far; so is class 0 if it has none, and then without a sign.
//
// On the wire they are 7 bits, for how many contexts, at least 1; then for each, rising, a
// Uvarint, how many are skipped since the one before, and the bits of the codes, of the expected
// sign first where there is one: for each place from 0 on, but for far, 1 bit whether there is
// a code, and then 3 bits, its length less 1; of far the 3 bits alone. The codes take up all
// bits. At most 64 contexts have codes of their own.
package stepcode
