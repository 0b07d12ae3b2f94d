//go:build !js

// Package kelindar is a codec for what the built-in plan of package protocol does
// not cover, such as maps and pointers: it encodes with
// github.com/kelindar/binary v1.2.3.
//
//	protocol.Message[Scores](p).Codec(kelindar.Codec[Scores]{})
//
// It guarantees that bytes of a peer are bounded before they are decoded, that
// none are left over, that a panic of the library becomes an error, and that both
// sides use the same version on the same fields: these are in the protocol hash.
//
// It does not pack bits, and it does not map entities: a type that holds an
// ecs.Entity is refused, as is one with unexported fields, which the library
// leaves out without a word. It is not canonical: the same map encodes to other
// bytes each time, and some bytes that differ decode to the same value. It does
// not exist for browsers (GOOS=js), for which the library does not compile.
package kelindar
