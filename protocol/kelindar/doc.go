//go:build !js

// Package kelindar is a codec for types that the built-in plan of package protocol does not
// support, such as maps and pointers. It encodes with github.com/kelindar/binary v1.2.3.
//
//	protocol.Message[Scores](p).Codec(kelindar.Codec[Scores]{})
//
// It guarantees that the size of a peer's bytes is checked before they are decoded, that no bytes
// are left over, and that a panic of the library becomes an error. The version of the library and
// the fields of the type are in the protocol hash, so that they are the same on both sides.
//
// It does not pack bits, and it does not map entities: a type that holds an ecs.Entity is refused,
// as is one with unexported fields, which the library silently omits. It is not canonical: the same
// map is encoded differently each time, and different bytes may decode to the same value. It is not
// available for browsers (GOOS=js), because the library does not compile for them.
package kelindar
