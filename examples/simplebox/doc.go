// Simplebox is a whole game in its smallest form: a server with a thousand
// wandering dots, and a box for every client that eats them.
//
//	go run ./examples/simplebox
//
// starts a server and two clients, each a process of its own, which speak over UDP on this machine,
// and draws their three worlds side by side. The arrow keys steer the box of client 1, the keys w a
// s d that of client 2; bots steer until then. The keys 1 to 4 make the line worse. I switches the
// interpolation of all that a client does not predict: on a bad line, dots and the other box then stutter. The
// space bar stops the server's world, so that you can see the other worlds become equal to it.
//
//	go run ./examples/simplebox -mode server -addr 0.0.0.0:40000 -key KEY
//	go run ./examples/simplebox -mode client -addr 192.0.2.7:40000 -key KEY
//
// run the sides in separate processes, also on different machines. `-mode key` prints a KEY; without one a server
// listens on loopback only. `-settings FILE` reads the same options from a file of JSON, with the names of the flags.
//
//	go run ./examples/simplebox -headless -seconds 5 -loss 0.2 -latency 80ms
//
// needs no terminal: it plays for five seconds, stops all movement, waits until no world changes
// any more, and compares the worlds of the three processes.
//
// # Where to read
//
// The game:
//
//   - game.go: the components and inputs of both sides
//   - move.go: how boxes move, on both sides
//   - server.go, boxes.go, dots.go: the server and its systems
//   - client.go, bot.go: the client, which steers its box
//   - dump.go: how two worlds are compared
//
// Only for this demo:
//
//   - settings.go, main.go: the options
//   - node.go, node_server.go, node_client.go: one side of the game in this process
//   - orders.go, pipe.go: orders to a side, and its reports
//   - line.go: a line with latency, jitter and loss
//   - processes.go, sides.go, headless.go: controlling the sides, and comparing them
//   - view.go, panel.go, field.go, flow.go, keys.go, camera.go: drawing
//
// A client's clock runs ahead of the server's, by as much as its inputs need to arrive in time: the
// panels show the number of ticks, the speed of the clock, and how many inputs were late. Make the
// line worse to see the clock adapt.
//
// A client predicts its own box: the box moves when the key is pressed. The red shadow is its
// confirmed twin, a round trip behind. When an input is late, the box was elsewhere on the server:
// the client rolls back to that tick and replays all later ones, and the display moves gradually to
// the corrected place. The panels show how often that happened, and, if the terminal has room, the
// last reason. Boxes of other clients, and the dots, are interpolated: they move smoothly, a little in the past,
// between the places that arrive.
package main
