package systems

// Visual replaces the values of components by those for the screen, between ticks or easing over
// a correction, and Restore puts the true values back at the beginning of the next frame.
// Everything between the two sees true values only: simulation, histories, hashes and what is
// sent (docs/PICTURE.md; rows N6, N8 and N13). It is the same on both sides; package
// visualinterp does it, if the game uses that.

// restore puts the true values back.
func (f *Frame) restore() {
	f.Display.Restore(f.now)
}

// showValues puts the values for the screen into the world.
func (f *Frame) showValues() {
	f.Display.Show()
}
