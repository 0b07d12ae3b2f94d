// Package timesync keeps a client's clock ahead of the server's, by as much as the way
// there needs and no more, and says which time to show of what comes from there.
//
// # What is here
//
//   - A [Client] is the clock controller of a client. Its owner tells it of each frame
//     (Ran), of each packet of the server (Heard), and of the inputs that it sent (Sent);
//     and asks it once per frame how fast the clock has to run, and by how many ticks it
//     has to jump (Adjust).
//   - A [Meter] stands at the server, one for each client. Its owner tells it of each
//     packet (Packet), of each input that came (Brought) and of each tick (Ran).
//
// Both write and read the frames of one External channel. No round trip is measured, and
// neither way is taken for half of one: the server says how early each input came, and the
// client knows where its clock was when it sent it.
//
// # What it guarantees
//
// Decisions are made in whole numbers, so that they are equal on all machines. Nothing
// depends on anything but the arguments. Nothing grows, whatever the peer sends, and no
// bytes make it panic.
package timesync
