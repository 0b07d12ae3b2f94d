// Priority shows who gets the bytes when there are too few: seven rows of dots, all of
// which change in every tick, and a cap that has room for a quarter of the updates. The
// dots of row n have priority n.
//
//	go run ./examples/priority
//
// draws the server's rows at the left and the client's beside them. The client counts the
// updates that arrive: row 7 gets seven times as many as row 1, and its wave runs evenly,
// where that of row 1 goes by jerks. No dot is left out for long. At the right there are
// each row's share of all updates and the one that it should have, how often a dot of it
// is updated, and its age: for how many ticks a dot was not heard of, on average and at
// most.
//
//	go run ./examples/priority -cap 0        # no cap: all rows are equal
//	go run ./examples/priority -cap 30000    # bytes per second
//	go run ./examples/priority -within 10    # no update of row 1 waits for longer
//
// A bound on the age goes before priorities: with -within, row 1 is sent as often as that
// takes, and the others divide the rest. Where the cap has no room for the bound, the
// server is told so; with -within 1 -cap 16000 -dots 160, for one.
//
//	go run ./examples/priority -headless -seconds 10
//
// needs no terminal. It prints the rows as a table and as a line of JSON, and exits with 1
// if a row's share is more than 15 % off, a dot starved, or the bound was not kept.
//
//	go run ./examples/priority -mode server -addr 0.0.0.0:40000 -key KEY
//	go run ./examples/priority -mode client -addr 192.0.2.7:40000 -key KEY
//
// run the sides apart, also on different machines, with a view or -headless. `-mode key`
// prints a KEY; without one a server listens on loopback only. `-settings FILE` reads the
// same options from a file of JSON, where they have the flags' names.
//
// # Where to read
//
// Priority and MaxAge are two fields of one component. They are set where a dot is made,
// in server.go; the cap is one field of the server's config.
//
//   - game.go: the components and the resource that both sides know
//   - server.go: the server, which turns the dots, and hears of a bound that is not kept
//   - client.go, tally.go: the client, which counts the updates
//   - shares.go: which share of them each row should have
//   - play.go: who plays; examples/internal/stage starts the sides, in one process and in two
//
// What only this demo needs: settings.go and main.go are the options, headless.go and
// verdict.go the table and what has to hold, view.go, panel.go, wave.go and sight.go the
// picture.
//
// In one process both sides run on a clock that the program moves, so a run without a
// terminal takes no time, and the same -seed gives the same run.
package main
