// Package input connects the inputs of a game to the input streams of internal/core/input: it
// sends a client's inputs, applies them on the server at their ticks, relays them to other
// clients, and hands them out again when ticks are replayed.
//
// # Where things are
//
// What the stages of a tick call, on both sides: [Inputs] (inputs.go). One type of input: inputKind
// (kind.go), inputCodec (codec.go).
//
// From a client to the server: Inputs.Write, ownInputs (input_own.go), inputUp (up.go). On the
// server: InputPlayer (player.go), ReceivedInputs (received.go). The player of a host needs no
// connection (input_local.go). What inputs fire, on both sides: intents.go.
//
// Back to other clients: relay (relay.go), relayLine (relay_line.go). On those clients: inputDown
// (down.go), othersInputs (relay_others.go).
//
// Ticks that are replayed: [Replayer] (replay.go). What a screen showed: [ScreenView] (rewind.go). For developers: unread_warning.go.
package input
