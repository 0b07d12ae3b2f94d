package program

import (
	"flag"
	"fmt"
)

// Length are the options that say how long a program plays, and whether it draws.
type Length struct {
	Headless bool    `json:"headless"`
	Seconds  float64 `json:"seconds"`
}

// Bind binds the options to flags. Prints is what a run without a terminal prints, and until
// how long one is by default.
func (l *Length) Bind(set *flag.FlagSet, prints, until string) {
	set.BoolVar(&l.Headless, "headless", false, "run without a terminal and print "+prints+" at the end")
	set.Float64Var(&l.Seconds, "seconds", 0, "how long to play (default until you quit; "+until+")")
}

// Check finds what cannot be, and says what to write.
func (l *Length) Check() error {
	if !(l.Seconds >= 0 && l.Seconds <= 1e6) {
		return fmt.Errorf("seconds is %v; it can be 0 to a million", l.Seconds)
	}
	return nil
}

// Frames is how many are to be played at a rate, 0 for no end. A run without a terminal has
// one, after some seconds, if nothing else is said and it is one that ends by itself.
func (l *Length) Frames(rate, seconds int, ends bool) int {
	switch {
	case l.Seconds > 0:
		return max(int(l.Seconds*float64(rate)), 1)
	case l.Headless && ends:
		return seconds * rate
	}
	return 0
}
