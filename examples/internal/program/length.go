package program

import (
	"flag"
	"fmt"
)

// Length holds the options for how long a program plays, and whether it draws.
type Length struct {
	Headless bool    `json:"headless"`
	Seconds  float64 `json:"seconds"`
}

// Bind binds the options to flags. prints describes the output of a run without a terminal, and until its
// default length.
func (l *Length) Bind(set *flag.FlagSet, prints, until string) {
	set.BoolVar(&l.Headless, "headless", false, "run without a terminal and print "+prints+" at the end")
	set.Float64Var(&l.Seconds, "seconds", 0, "how long to play (default until you quit; "+until+")")
}

// Check returns an error that names an invalid option and its valid values.
func (l *Length) Check() error {
	if !(l.Seconds >= 0 && l.Seconds <= 1e6) {
		return fmt.Errorf("seconds is %v; it can be 0 to a million", l.Seconds)
	}
	return nil
}

// Frames returns how many frames to play at a rate, 0 for no end. By default a run without a terminal that ends
// by itself plays the given number of seconds.
func (l *Length) Frames(rate, seconds int, ends bool) int {
	switch {
	case l.Seconds > 0:
		return max(int(l.Seconds*float64(rate)), 1)
	case l.Headless && ends:
		return seconds * rate
	}
	return 0
}
