// Intents shows how a shot begins in the same tick everywhere. The ship of client A shoots with an input
// delay: it says that it will shoot some ticks before it does. Clients B, C and D watch, from lines of
// different latencies.
//
//	go run ./examples/intents
//
// draws one track for the server and one for each client. A shot that is still to come is a star at the
// muzzle, and one that flies is a dot. Beside a track stands how the last shot arrived there: before its tick,
// so that it waited; or after it, so that the client rolled back and computed the shot's first ticks again.
// The last column counts the ticks in which a client computed another shot than the server. Every fifth shot
// is one that the server refuses: it flies on A's track for a round trip, and on no other.
//
//	go run ./examples/intents -headless -seconds 10
//
// needs no terminal. It exits with 1 unless every client had every shot in its tick, and from then on the same
// in each tick as the server, also what is never sent. With -delay 0 shots come too late everywhere, and still
// all are the same.
//
// # Where to read
//
// The blueprint, the function that assembles a shot, and the input that fires one are registered in game.go:
// that is all that the library needs to know.
//
//   - game.go: components, protocol, and the systems that both sides share
//   - sides.go: the server and its clients; the bot that pulls the trigger
//   - diary.go: what each side computed in each tick, and how it compares
//   - play.go: all of them together; examples/internal/stage has the sides, the lines between them, and the clock
//
// Only for this demo: settings.go and main.go have the options, headless.go the verdict, view.go the drawing.
package main
