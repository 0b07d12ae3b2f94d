// Package protocol defines what both sides of a game agree on: which components, inputs, messages,
// requests, resources and channels exist, and how their values are encoded.
//
// A game registers in one function that server and client share:
//
//	p := protocol.New(protocol.Config{Name: "my game"})
//	protocol.Component[Position](p).Predict(protocol.Full).Interpolate(protocol.Linear)
//	protocol.Input[Steer](p)
//	protocol.Message[Chat](p).Relay()
//
// and has one test that fails if p.Err() returns an error.
//
// # What it guarantees
//
//   - Mistakes never panic. They are collected, and Err joins them, each a *SetupError with a
//     sentence that tells how to fix it.
//   - Numbers are dense per kind and follow the sorted names of types, so they do
//     not depend on the order of registration.
//   - Hash is equal on all machines for equal registrations. If the hashes of a server and a client
//     differ, the server tells the client which registrations differ.
//   - Components, inputs and resources with Rollback hold no Go pointers, because Arche moves them
//     as raw bytes.
//   - An input is also a component: its presence is replicated, its value is not.
//
// # What it does not
//
// This package does not encode anything: packages internal/wire and internal/registry describe the
// bytes. It does not run on big-endian machines. It does not check that text is UTF-8. A game's own
// codecs must decode to the value that they encoded, and refuse all other bytes.
//
// # How to drive it
//
//	New; Component, Blueprint, Input, Message, Request, Resource, Local, Unsent, Channel, with their
//	options
//	Err in a test; Hash and String to look at
//
// Only one goroutine may register. Once a server or client is made, nothing can be registered any
// more, and many goroutines may use the protocol.
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
// A tag on a struct, array or slice applies to every number in it that has no tag of its own; max
// applies to the outermost list. Without max, texts and []byte may have 1024 bytes, slices 256
// elements.
//
// A number outside its range is sent as the nearest limit and counted; half a step beyond a limit
// still counts as that limit. NaN is sent as the value nearest to zero and counted. Whole turns of
// an angle are not sent; NaN and infinities are sent as 0 and counted. A quaternion of another
// length than 1 is normalised; one without a direction is sent as the identity (its field W, or its
// fourth field, is 1) and counted. Floats without a tag keep every bit, including those of NaN.
// Integers of 32 and 64 bits without a tag take 4 bits from 0 to 3, 10 or 22 bits up to about 10^6,
// and 2 bits more than their size otherwise; negative numbers as many as twice the positive one.
package protocol
