// Interest shows which entities are visible to which players: three players walk through a field of
// six chambers, among dots that drift about. A client has the dots near its player, the dots in its
// player's chamber, and the dots near the lanterns of its team. It receives no data about other
// dots.
//
//	go run ./examples/interest
//
// draws the worlds of the server and of the three clients. Fog covers the area that no viewer of
// the client sees. Players 1 and 2 are a team: both see what the lanterns of their team see. G
// switches off the grid, so that nearby dots no longer matter. R switches off the rooms of the
// chambers.
//
// Clients interpolate all things: they move, come and go a little in the past, and smoothly. I
// switches that off, so that things are where the last packet put them. Below its
// map each client tells in how many frames a moving thing stood still or jumped. Try it on a bad line:
//
//	go run ./examples/interest -latency 60ms -jitter 15ms -loss 0.05
//
//	go run ./examples/interest -headless -seconds 20 -rooms=false
//
// needs no terminal. A judge that knows the rules and does not use the library records which things
// each client may see at each tick. The program exits with 1 if a client ever had a thing with the
// state of a tick at which it was not visible, kept a thing for too long, or lacked one. With -leak
// all dots are sent to all clients, to check that the judge notices.
//
// # Where to read
//
// relevance.go has everything that determines visibility: a grid, which is a system; viewers, which are a
// component; and rooms.
//
//   - game.go, chambers.go: the components that both sides know, and the field
//   - server.go, walk.go: the server, where things walk
//   - relevance.go: visibility
//   - client.go, judge.go: the clients, and the check of their visibility
//   - play.go: the server and its clients; examples/internal/stage has the sides, the lines between them, and the clock
//
// Only for this demo: settings.go and main.go have the options, headless.go the result, view.go and
// map.go the drawing.
//
// All sides run in this process, on a virtual clock, so a run without a terminal takes no time, and the
// same -seed gives the same run.
package main
