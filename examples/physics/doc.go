// Physics is prediction with a physics engine: players push discs over a pitch, into each
// other, and into a ball.
//
//	go run ./examples/physics
//
// starts a server and two clients with 50 ms of latency in either direction, and draws the
// server's pitch beside that of client 1. The arrow keys push its disc; a bot does until
// then. Full discs are what the client predicts, rings what the server has confirmed last:
// a round trip behind. Below stands how often the client went back, and why.
//
//	go run ./examples/physics -predict=false
//
// has every client predict its own disc and the ball only: the others are drawn where the
// last packet says they are, and what they do comes as a surprise to the ball.
//
//	go run ./examples/physics -delay 10
//
// has inputs act ten ticks later, which is longer than they take to the other clients: every
// input is there before its tick is computed anywhere, so there is nothing to guess, and no
// client ever goes back. The price is that one's own disc answers late.
//
//	go run ./examples/physics -correction 0
//
// shows every correction at once, where six ticks, the default, ease over it.
//
//	go run ./examples/physics -mode server -addr 0.0.0.0:40000 -key KEY
//	go run ./examples/physics -mode client -addr 192.0.2.7:40000 -key KEY
//
// run the sides apart, also on different machines. `-mode key` prints a KEY; without one a
// server listens on loopback only. `-settings FILE` reads the same options from a file of
// JSON, where they have the flags' names.
//
//	go run ./examples/physics -headless -seconds 20 -latency 80ms -loss 0.1
//
// needs no terminal: it plays for so long, lets everything come to rest, and fails if a
// client's pitch then differs from the server's, or if one went back though the delay covers
// the way between players.
//
// # Where to read
//
//   - game.go: the components and inputs that both sides know, and how they are predicted
//   - space.go: the physics of a tick, the same system on both sides
//   - server.go, client.go, bot.go: the sides
//   - sight.go: what is drawn
//
// What only this demo needs:
//
//   - settings.go, main.go: the options
//   - play.go: who plays; examples/internal/stage starts the sides, in this process, or one of them
//   - headless.go, verdict.go: a run without a terminal, and whether it shows what it claims
//   - view.go, panel.go, canvas.go: the picture
package main
