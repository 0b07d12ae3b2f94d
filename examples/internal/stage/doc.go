// Package stage runs an example: a server and its clients in one process, in a network in memory
// and on a virtual clock, so that a run takes no time and the same seed gives the same run. It can
// also run one of them alone, over UDP and in real time. An example describes the sides in a Cast,
// with the options of its program; the rest of the example is the game.
//
// It shows how to create, start, connect, drive and stop an app:
//
//   - stage.go: both sides in one process, frame by frame
//   - apart.go: one side alone
//   - ticket.go: the token with which a client connects
//   - sides.go, line.go: the options for that
package stage
