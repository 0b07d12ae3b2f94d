// Package blend interpolates values in memory: between two snapshots, over a correction, and
// between ticks for the screen.
//
// Linear is the built-in function: floats along the line, fields tagged as angles the short way
// around, fields tagged as quats along the shorter arc. NewFuncs compiles it, or a game's own
// function, into functions over the memory of one value or of a whole column, which allocate
// nothing. Types must not hold Go pointers.
package blend
