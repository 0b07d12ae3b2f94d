// Shooter shows bullets that are there at once, and shots that hit what the shooter's screen showed: two to four
// players run through an arena and fire at each other.
//
//	go run ./examples/shooter
//
// starts a server and two clients with 60 ms of latency in either direction, and draws the server's arena beside
// the screen of player 1. The arrow keys move player 1, and space fires at the nearest of the others; until the first
// key is pressed, a bot does both. A shot hits in the tick in which it is fired. The bullet that one sees flies on to
// the wall and sticks there.
//
// The others are shown a little in the past, and a shot needs time to reach the server. So a target is somewhere else
// by then: on the server, a ring shows where player 1 saw it. With lag compensation the server tests the shot against
// the ring. It is green for a hit, and red for a miss. The key c turns lag compensation off: then about every second
// ring is red, although player 1 aims as well as before. The keys l and t go through loss and latency.
//
//	go run ./examples/shooter -clients 4 -loss 0.05 -jitter 10ms
//
// has four players on a worse line.
//
//	go run ./examples/shooter -mode server -addr 0.0.0.0:40000 -key KEY
//	go run ./examples/shooter -mode client -addr 192.0.2.7:40000 -key KEY
//
// run the sides in separate processes, also on different machines. `-mode key` prints a KEY; without one a server
// listens on loopback only. `-settings FILE` reads the same options from a file of JSON, with the names of the flags.
//
//	go run ./examples/shooter -headless -seconds 30 -clients 4 -loss 0.05
//
// needs no terminal. It fails unless at least 98 % of the shots hit what they were aimed at, no bullet was shown twice
// or vanished and came back, and, without loss and jitter, no bullet caused a rollback. It also tells how many of the
// same shots would have hit without lag compensation. With `-compensate=false` it fails. On a line that loses 20 %
// and more, a bullet may come back now and then: a client does not wait for the server's without end.
//
// # Where to read
//
//   - game.go: the components and inputs that both sides know, and how they are predicted
//   - shoot.go: guns, bullets and players, by the same systems on both sides
//   - server.go: the target of a shot
//   - client.go, aim.go: the input of a player, what it aims at on its screen, and the bot
//
// What only this demo needs:
//
//   - settings.go, main.go: the options
//   - play.go: the server and its clients; examples/internal/stage starts all sides in this process, or one of them
//   - watch.go: counts the bullets that a client shows
//   - headless.go, verdict.go: a run without a terminal, and whether the claim holds
//   - view.go, view_state.go, panel.go, marks.go: drawing
package main
