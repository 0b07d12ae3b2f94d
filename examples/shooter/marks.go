package main

import "github.com/entangle-ecs/entangle"

// markFrames is for how many frames a view shows a mark.
const markFrames = 30

// mark is a place at which a shooter saw a player when it fired at it.
type mark struct {
	at   Place
	good bool          // it was hit
	open bool          // that is not known yet
	left int           // frames
	tick entangle.Tick // in which the shot was fired
}

// age lets a frame pass.
func age(marks []mark) []mark {
	kept := marks[:0]
	for _, m := range marks {
		if m.left--; m.left > 0 {
			kept = append(kept, m)
		}
	}
	return kept
}

// addMark shows a shot of the first player in the server's view: where that player saw the one that it fired at.
func (g *serverGame) addMark(seen, counts *nearest) {
	if seen.ok {
		g.marks = append(g.marks, mark{at: seen.at, good: counts.entity == seen.entity, left: markFrames})
	}
}
