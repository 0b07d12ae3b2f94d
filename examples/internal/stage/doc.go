// Package stage is where an example is played: by a server and its clients in one process,
// in a network in memory and on a clock that the stage moves, so that a run takes no time and
// the same seed gives the same run; or by one of them alone, over UDP and by the clock on the
// wall. An example says who plays, in a Cast, and the options with which its program was
// started; what is left for it to write is the game.
//
// It shows how an app is made, started, connected, driven and ended:
//
//   - stage.go: both sides in one process, frame by frame
//   - apart.go: one side alone
//   - ticket.go: the token with which a client connects
//   - sides.go, line.go: the options for that
package stage
