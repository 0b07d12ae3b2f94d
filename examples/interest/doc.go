// Interest shows who sees what: three players walk through a field of six chambers, among
// dots that drift about. A client holds the dots near to its player, those in its player's
// chamber, and what the lanterns of its team see, and it never hears of any other.
//
//	go run ./examples/interest
//
// draws the server's world and those of the three clients. Fog covers what none of a
// client's viewers can see. Players 1 and 2 are a team: what the lantern of one sees, both
// see. G switches off that what is near matters, and R that what is in the same chamber
// does.
//
//	go run ./examples/interest -headless -seconds 20 -rooms=false
//
// needs no terminal. A judge that knows the rules and not the library takes down who could
// know of what at each tick. The program exits with 1 if a client ever held a thing in a
// state of a tick at which that did not matter to it, held one for too long, or lacked one.
// With -leak all dots are shown to everybody, to see that the judge notices.
//
// # Where to read
//
// All that decides is in relevance.go: a grid, which is a system; viewers, which are
// a component; and rooms.
//
//   - game.go, chambers.go: the components that both sides know, and the field
//   - server.go, walk.go: the server, where things walk
//   - relevance.go: who sees what
//   - client.go, judge.go: the clients, and who could know of what
//   - play.go: who plays; examples/internal/stage has all sides, the lines between them, and the clock
//
// What only this demo needs: settings.go and main.go are the options, headless.go is the
// result, view.go and map.go are the picture.
//
// All sides run in this process, on a clock that the program moves, so a run without a
// terminal takes no time, and the same -seed gives the same run.
package main
