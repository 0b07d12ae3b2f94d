// Package controls has the parts of a game's input: named buttons and axes that a player
// sends with each tick, and what leads from the keys of a device to them.
//
// An input is a struct of the game's own, registered with protocol.Input. Its fields name
// what a player can do, not the keys:
//
//	type Controls struct {
//		Jump, Fire controls.Button
//		Move       controls.Axis2
//	}
//
// A device is looked at once per frame, and the input is wanted once per tick; a frame may
// have no tick, one or several. Between the two stands a latch for each field. The way of
// a press:
//
//	Keys.Update            once per frame: which keys are down
//	Latch.Set              by Keys, or by the game for what is no key
//	Latch.Take             once per tick, in plugin.BufferInputs
//	the component Controls written there, by value
//	the same on the server at the same tick, and on clients that predict
//
// It guarantees that
//   - each press is Pressed in one tick, whatever frames and ticks do: none is lost, none
//     is seen twice; several presses between two ticks are one;
//   - a missing input, which repeats the one before, holds what was held and presses
//     nothing: Pressed and Released are events of the input;
//   - an axis at 0 is exactly 0 on the other side, and so are its ends, and a value that
//     came out of a latch arrives as it is;
//   - nothing here is in the hash of a protocol but the fields of the input: keys are
//     bound, and bound anew, on each machine as its player likes.
//
// It does not read devices, and a press in an input that comes too late is lost with it,
// as all of that input is.
package controls
