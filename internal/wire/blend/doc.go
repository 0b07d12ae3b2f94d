// Package blend interpolates values in memory: between two snapshots, over a correction, and
// between ticks for the screen.
//
// Linear is the built-in function: it blends floats linearly, fields with the tag angle the shorter
// way around, and fields with the tag quat along the shorter arc. NewFuncs compiles it, or a
// function of the game, into functions on the memory of one value or of a whole column, which
// allocate nothing. NewHermite compiles a curve through positions with velocities, and NewCurve that or a function of
// the game into one on whole columns. Types must not
// contain Go pointers.
package blend
