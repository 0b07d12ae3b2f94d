// Snake shows the effect of a replication group: two snakes crawl through a server's world, each a
// chain of entities. The segments of one snake share a group, those of the other do not. A client
// sees both over the same bad line.
//
//	go run ./examples/snake
//
// draws the server's snakes at the left and the client's at the right. A snake crawls like a
// caterpillar: in each tick only some of its segments move. Segments are therefore sent in
// different packets, and when one of these is lost, a snake without a group is torn. The snake with
// a group is late as well, but whole.
//
// The client interpolates both snakes: it shows them a little in the past, so that each step is shown at
// its own time. That makes the movement even, and does not replace the group: a segment whose packet was lost is
// still behind the others. I, or -interpolate=false, shows the snakes as they arrive. Above its snakes the client
// tells how many of their steps came more than a frame late or early.
//
//	go run ./examples/snake -headless -seconds 5 -loss 0.2
//
// needs no terminal. It counts the frames in which the client saw a torn snake, and exits with 1
// unless the snake with the group was never torn and the other one was. With -apart no snake has a
// group, to check that the program notices it.
//
// # Where to read
//
// The group is one field of one component. It is set where a segment is created, at the end of body.go.
//
//   - game.go: the components of both sides
//   - server.go, body.go, crawl.go: the server, where snakes grow, change and crawl
//   - client.go, torn.go: the client, which checks whether its snakes are whole
//   - play.go: the server and its client; examples/internal/stage has both sides, the line between them, and the clock
//
// Only for this demo: settings.go and main.go have the options, headless.go the count, view.go and
// pen.go the drawing.
//
// Both sides run in this process, on a virtual clock, so a run without a terminal takes no time, and the same -seed gives the
// same run.
package main
