package main

import (
	"image/color"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
)

// boxColours are the colours of the boxes, by hue.
var boxColours = []color.Color{
	lipgloss.Color("#FFB454"), lipgloss.Color("#59C2FF"), lipgloss.Color("#AAD94C"),
	lipgloss.Color("#F07178"), lipgloss.Color("#D2A6FF"), lipgloss.Color("#95E6CB"),
}

func boxColour(hue uint8) color.Color { return boxColours[int(hue)%len(boxColours)] }

var (
	twinStyle = lipgloss.NewStyle().Foreground(lipgloss.Color("#FF3333"))
	dotStyle  = lipgloss.NewStyle().Foreground(lipgloss.Color("#6C7A89"))
	inkColour = lipgloss.Color("#0B0E14")
)

// cell is a character of a field: a Braille character of eight points, or a part of a box, of a
// twin, or of a shadow.
type cell struct {
	points rune
	hue    int // hue of the box, or of the box that alarms a dot in this cell; calmHue if there is none
	kind   cellKind
	letter rune // on a box: the letter of its owner
}

type cellKind uint8

const (
	dotCell cellKind = iota
	shadowCell
	twinCell
	boxCell
)

// field draws a world with characters. A character is twice as high as it is wide, and a Braille
// character has two columns of four points. The points are therefore squares, and a field with
// twice as many columns as lines is a square.
type field struct {
	width, height int
	cells         []cell
}

func newField(width, height int) *field {
	f := &field{width: width, height: height, cells: make([]cell, width*height)}
	for i := range f.cells {
		f.cells[i].hue = calmHue
	}
	return f
}

// braillePoints are the bits of a braille letter by row and column.
var braillePoints = [4][2]rune{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

// room returns how many of the dots are drawn: at most one per two characters, because with more no
// movement could be seen.
func (f *field) room(p snapshot) int { return min(p.dots(), max(f.width*f.height/2, 1)) }

// dots draws dots as points, as many as room allows.
func (f *field) dots(p snapshot) {
	lots := 256
	if all := p.dots(); all > 0 {
		lots = max(256*f.room(p)/all, 1)
	}
	for i := 0; i+dotBytes <= len(p.Dots); i += dotBytes {
		if int(p.Dots[i+3]) >= lots {
			continue
		}
		x, y := int(p.Dots[i])*f.width*2/256, int(p.Dots[i+1])*f.height*4/256
		c := &f.cells[y/4*f.width+x/2]
		c.points |= braillePoints[y%4][x%2]
		c.hue = min(c.hue, int(p.Dots[i+2]))
	}
}

// boxes draws boxes as blocks with the numbers of their owners, or only as shadows.
func (f *field) boxes(all []boxSnapshot, kind cellKind) {
	for _, b := range all {
		wide, high := max(2, f.width*boxSize/fieldSize), max(1, f.height*boxSize/fieldSize)
		left, top := int(b.X)*f.width/256-wide/2, int(b.Y)*f.height/256-high/2
		for y := max(0, top); y < min(f.height, top+high); y++ {
			for x := max(0, left); x < min(f.width, left+wide); x++ {
				f.cells[y*f.width+x] = cell{kind: kind, hue: int(b.Hue), letter: ' '}
			}
		}
		if kind == boxCell {
			x, y := min(max(left, 0), f.width-1), min(max(top+high/2, 0), f.height-1)
			f.cells[y*f.width+x].letter = ownerLetter(uint64(b.Owner))
		}
	}
}

// ownerLetter returns the digit of a client's number, if it has only one.
func ownerLetter(id uint64) rune {
	if id < 10 {
		return rune(strconv.FormatUint(id, 10)[0])
	}
	return '•'
}

// String returns the drawn field. It formats each run of cells of the same style at once.
func (f *field) String() string {
	var text strings.Builder
	for y := range f.height {
		if y > 0 {
			text.WriteByte('\n')
		}
		row := f.cells[y*f.width : (y+1)*f.width]
		for len(row) > 0 {
			n := 1
			for n < len(row) && row[n].looksLike(row[0]) {
				n++
			}
			text.WriteString(row[0].style().Render(letters(row[:n])))
			row = row[n:]
		}
	}
	return text.String()
}

func (c cell) looksLike(other cell) bool { return c.kind == other.kind && c.hue == other.hue }

func (c cell) style() lipgloss.Style {
	switch {
	case c.kind == boxCell:
		return lipgloss.NewStyle().Bold(true).Foreground(inkColour).Background(boxColour(uint8(c.hue)))
	case c.kind == twinCell:
		return twinStyle
	case c.hue != calmHue:
		return lipgloss.NewStyle().Foreground(boxColour(uint8(c.hue)))
	default:
		return dotStyle
	}
}

func letters(cells []cell) string {
	var text strings.Builder
	for _, c := range cells {
		switch {
		case c.kind == boxCell:
			text.WriteRune(c.letter)
		case c.kind == shadowCell, c.kind == twinCell:
			text.WriteRune('░')
		case c.points == 0:
			text.WriteByte(' ')
		default:
			text.WriteRune(0x2800 + c.points)
		}
	}
	return text.String()
}
