// Package controls has the parts of a game's input: named buttons and axes that a player sends with
// each tick, and the path from the keys of a device to them.
//
// An input is a struct of the game, registered with protocol.Input. Its fields name actions, not keys:
//
//	type Controls struct {
//		Jump, Fire controls.Button
//		Move       controls.Axis2
//	}
//
// A device is polled once per frame, and the input is needed once per tick; a frame may have no
// tick, one or several. A latch for each field connects the two. The path of a press:
//
//	Keys.Update            once per frame: which keys are down
//	Latch.Set              by Keys, or by the game for other devices
//	Latch.Take             once per tick, in plugin.FixedInput
//	the component Controls written there, by value
//	the same component on the server at the same tick, and on clients that predict
//
// It guarantees that
//   - each press is Pressed in exactly one tick, for any sequence of frames and ticks; several
//     presses between two ticks count as one;
//   - a missing input, in place of which the previous one is repeated, repeats held buttons and
//     presses nothing: Pressed and Released are events of the input;
//   - an axis at 0 is exactly 0 on the other side, and so are its ends, and the values of a
//     latch arrive exactly;
//   - only the fields of the input are in the hash of the protocol: keys are bound, and
//     rebound, on each machine as its player likes.
//
// The package does not read devices. A press in an input that arrives too late is lost, like the
// rest of that input.
package controls
