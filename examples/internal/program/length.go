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

// Bind binds the options to flags. prints describes what a run without a terminal prints, and until
// describes how long it plays by default.
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

// Frames returns how many frames to play at a rate; 0 means without end. A run without a terminal
// that can end by itself plays for the given number of seconds, unless the options set another
// time.
func (l *Length) Frames(rate, seconds int, ends bool) int {
	switch {
	case l.Seconds > 0:
		return max(int(l.Seconds*float64(rate)), 1)
	case l.Headless && ends:
		return seconds * rate
	}
	return 0
}
