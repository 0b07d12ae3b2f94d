// Simplebox is a whole game in its smallest form: a server with a thousand
// wandering dots, and a box for every client that eats them.
//
//	go run ./examples/simplebox
//
// starts a server and two clients, each a process of its own, which speak over UDP
// on this machine, and draws their three worlds side by side. The arrow keys steer
// the box of client 1, the keys w a s d that of client 2; bots steer until then.
// The keys 1 to 4 make the line worse, space holds the server's world still to
// see the others become equal to it.
//
//	go run ./examples/simplebox -mode server -addr 0.0.0.0:40000 -key KEY
//	go run ./examples/simplebox -mode client -addr 192.0.2.7:40000 -key KEY
//
// run the sides apart, also on different machines. `-mode key` prints a KEY;
// without one a server listens on loopback only. `-settings FILE` reads the same
// options from a file of JSON, where they have the flags' names.
//
//	go run ./examples/simplebox -headless -seconds 5 -loss 0.2 -latency 80ms
//
// needs no terminal: it plays for five seconds, holds the world still, waits until
// everything has come to rest, and compares what the three processes hold.
//
// # Where to read
//
// What a game with Entangle consists of:
//
//   - game.go: the components and inputs that both sides know
//   - move.go: how boxes move, on both sides
//   - server.go, boxes.go, dots.go: the server and its systems
//   - client.go, bot.go: the client, which steers its box
//   - dump.go: how two worlds are compared
//
// What only this demo needs:
//
//   - settings.go, main.go: the options
//   - node.go, node_server.go, node_client.go: one side in this process
//   - orders.go, pipe.go: how a side is told and tells
//   - line.go: a line with latency, jitter and loss
//   - family.go, sides.go, headless.go: leading the sides, and comparing them
//   - view.go, panel.go, field.go, flow.go, keys.go, camera.go: the picture
//
// A client's clock runs ahead of the server's, by as much as its inputs take to get
// there: the panels show by how many ticks, how fast the clock runs to stay there, and
// how many inputs came too late. Make the line worse to see it find its place again.
//
// A client predicts its own box: that moves when the key is pressed. The red shadow is its
// twin, where the server has confirmed it last, a round trip behind. When an input comes too
// late to the server, the client finds its box elsewhere in that tick, goes back there and
// computes all ticks since again; the picture eases over to where the box is then. The
// panels show how often that was, and, where the terminal has room, why it was last. Other
// clients' boxes, and the dots, are shown where the last packet says they are.
package main
