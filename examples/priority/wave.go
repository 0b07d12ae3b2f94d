//go:build !js

package main

import "math"

// A row is drawn in Braille characters: each has two columns of four dots.
const (
	waveLines = 2
	levels    = 4 * waveLines
)

// blank is the Braille character without dots. pips are the bits of its dots, by column and by line
// from above.
const blank = '⠀'

var pips = [2][4]rune{{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}

// drawWave draws the first dots of a row beside each other, each at the height of its angle. The
// dots of the server form an even wave. On a client, dots that were not updated for some time are
// off that wave.
func drawWave(r *row, dots int) (lines [waveLines]string) {
	for line := range lines {
		text := make([]rune, (dots+1)/2)
		for i := range text {
			text[i] = blank
		}
		for number, angle := range r[:dots] {
			if angle == nil {
				continue
			}
			if level := levelOf(*angle); level/4 == line {
				text[number/2] |= pips[number%2][level%4]
			}
		}
		lines[line] = string(text)
	}
	return lines
}

// levelOf returns how far below the top a dot with an angle is drawn.
func levelOf(angle float32) int {
	return int(math.Round((1 - math.Sin(float64(angle))) / 2 * (levels - 1)))
}
