// Priority shows how a byte cap is shared: seven rows of dots, all of which change in every tick,
// and a cap that allows sending a quarter of the updates. The dots of row n have priority n.
//
//	go run ./examples/priority
//
// draws the server's rows at the left and the client's beside them. The client counts the updates
// that arrive. Row 7 gets seven times as many as row 1, and its wave runs evenly, while the wave of
// row 1 is jerky. Every dot is updated. At the right are each row's share of all updates and the
// expected share, how often a dot of the row is updated, and the mean and the greatest age of its
// dots, in ticks since the last update.
//
//	go run ./examples/priority -cap 0        # no cap: all rows are equal
//	go run ./examples/priority -cap 30000    # bytes per second
//	go run ./examples/priority -within 10    # no update of row 1 waits for longer
//
// A bound on the age takes precedence over priorities: with -within, row 1 is sent as often as
// necessary, and the other rows share the rest. If the cap is too small for the bound, the server
// gets an event, for example with -within 1 -cap 16000 -dots 160.
//
// The client interpolates the dots: it shows them a little in the past, between two updates. I, or
// -interpolate=false, shows them as they arrive: then every wave is jerky. Interpolation bridges gaps of up to
// four times Replicate.SendEvery, here four ticks; so it makes the rows 3 to 7 smooth, but not the row
// that gets an update every 16 ticks. A game that wants that row smooth, too, gives it a SendEvery of 16.
//
//	go run ./examples/priority -headless -seconds 10
//
// needs no terminal. It prints the rows as a table and as a line of JSON, and exits with 1 if a
// row's share differs by more than 15 % from the expected one, a dot was not updated for too long,
// or the bound was not kept.
//
//	go run ./examples/priority -mode server -addr 0.0.0.0:40000 -key KEY
//	go run ./examples/priority -mode client -addr 192.0.2.7:40000 -key KEY
//
// run the sides in separate processes, also on different machines, with a view or -headless. `-mode key`
// prints a KEY; without one a server listens on loopback only. `-settings FILE` reads the same options from a
// file of JSON, with the names of the flags.
//
// # Where to read
//
// Priority and MaxAge are two fields of one component. They are set where a dot is created, in server.go; the
// cap is one field of the server's config.
//
//   - game.go: the components and the resource of both sides, and how angles are interpolated
//   - server.go: the server, which turns the dots, and counts the events of a bound that was not
//     kept
//   - client.go, counts.go: the client, which counts the updates
//   - shares.go: the expected share of each row
//   - play.go: the server and its client; examples/internal/stage starts the sides, in one process and in two
//
// Only for this demo: settings.go and main.go have the options, headless.go and verdict.go the
// table and the check of the claims, view.go, panel.go, wave.go and rows.go the drawing.
//
// In one process both sides run on a virtual clock, so a run without a terminal takes no time, and the same
// -seed gives the same run.
package main
