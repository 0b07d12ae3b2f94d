// Package timesync keeps a client's clock ahead of the server's, by as much as its inputs need to
// arrive in time and no more. It also determines the time at which interpolated state is shown.
//
// # Types
//
//   - A [Client] controls the clock of a client. Call it for each frame (FrameRan), for each
//     packet from the server (PacketReceived), for each value of an interpolated entity
//     (SampleReceived) and for the inputs sent (InputsSent). Once per frame, Adjust returns the
//     speed of the clock and the ticks by which to jump, and Screen the times at which the
//     frame shows interpolated entities, after Show has advanced them.
//   - A [Meter] runs on the server, one for each client. Call it for each packet
//     (PacketReceived), for each input received (InputReceived) and for each tick (TickRan).
//
// Both write and read the frames of one External channel. No round trip is measured or assumed to
// be symmetric: the server reports how early each input arrived, and the client knows at which time
// of its clock it sent that input.
//
// # Guarantees
//
// Decisions use integers, so that they are equal on all machines, and depend only on the arguments.
// Memory is bounded whatever the peer sends, and no bytes cause a panic.
package timesync
