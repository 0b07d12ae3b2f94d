// Physics is prediction with a physics engine: players push discs over a pitch, into each
// other, and into a ball.
//
//	go run ./examples/physics
//
// starts a server and two clients with 50 ms of latency in either direction, and draws the server's
// pitch beside that of client 1. The arrow keys push the disc of client 1; until the first key is
// pressed, a bot does. Full discs are the client's prediction. Rings are the confirmed state, a
// round trip behind. Below are the number of rollbacks and their reasons.
//
//	go run ./examples/physics -predict=false
//
// makes every client predict only its own disc and the ball. The other discs are drawn at their
// position in the last packet, and their contacts with the ball are mispredicted.
//
//	go run ./examples/physics -delay 10
//
// makes inputs act ten ticks later, which is longer than they take to reach the other clients: every input arrives
// before its tick is computed anywhere, so nothing is mispredicted, and there are no rollbacks. The price is that the
// player's own disc responds late.
//
//	go run ./examples/physics -correction 0
//
// shows every correction at once; by default it is spread over six ticks.
//
//	go run ./examples/physics -mode server -addr 0.0.0.0:40000 -key KEY
//	go run ./examples/physics -mode client -addr 192.0.2.7:40000 -key KEY
//
// run the sides in separate processes, also on different machines. `-mode key` prints a KEY; without one a server
// listens on loopback only. `-settings FILE` reads the same options from a file of JSON, with the names of the flags.
//
//	go run ./examples/physics -headless -seconds 20 -latency 80ms -loss 0.1
//
// needs no terminal: it plays for the given time, lets everything come to rest, and fails if a
// client's pitch then differs from the server's, or if a client rolled back although the input
// delay covers the latency between players.
//
// # Where to read
//
//   - game.go: the components and inputs that both sides know, and how they are predicted
//   - space.go: the physics of a tick, the same system on both sides
//   - server.go, client.go, bot.go: the sides
//   - view_state.go: the drawn state
//
// What only this demo needs:
//
//   - settings.go, main.go: the options
//   - play.go: the server and its clients; examples/internal/stage starts all sides in this
//     process, or one of them
//   - headless.go, verdict.go: a run without a terminal, and whether the claim holds
//   - view.go, panel.go, canvas.go: drawing
package main
