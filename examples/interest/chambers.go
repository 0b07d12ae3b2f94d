package main

import "github.com/entangle-ecs/entangle/components"

// The field consists of six chambers in two rows of three. Neighbouring chambers share a wall with
// a door in its middle. The size of the field is repeated in the tags of Place.
const (
	columns, rows               = 3, 2
	chamberWidth, chamberHeight = 12, 6
	fieldWidth, fieldHeight     = columns * chamberWidth, rows * chamberHeight
	chambers                    = columns * rows

	// margin is the least distance of things from walls, in cells.
	margin = 1.1

	// firstChamber is the room of the first chamber.
	firstChamber = 1
)

// chamber is the number of a chamber, counted by rows from the top left.
type chamber int

// chamberAt returns the chamber of a place; a place in a door belongs to the chamber to the right or below.
func chamberAt(p Place) chamber {
	column := min(int(p.X)/chamberWidth, columns-1)
	row := min(int(p.Y)/chamberHeight, rows-1)
	return chamber(row*columns + column)
}

// room returns the room of all things in a chamber.
func (c chamber) room() components.Room { return components.Room(firstChamber + int(c)) }

// corner returns the chamber's first column and row.
func (c chamber) corner() (x, y float32) {
	return float32(int(c) % columns * chamberWidth), float32(int(c) / columns * chamberHeight)
}

// door is an exit of a chamber.
type door struct {
	at Place
	to chamber
}

// doors returns the exits of a chamber.
func (c chamber) doors() (all []door) {
	x, y := c.corner()
	column, row := int(c)%columns, int(c)/columns
	if column > 0 {
		all = append(all, door{Place{X: x, Y: y + chamberHeight/2}, c - 1})
	}
	if column < columns-1 {
		all = append(all, door{Place{X: x + chamberWidth, Y: y + chamberHeight/2}, c + 1})
	}
	if row > 0 {
		all = append(all, door{Place{X: x + chamberWidth/2, Y: y}, c - columns})
	}
	if row < rows-1 {
		all = append(all, door{Place{X: x + chamberWidth/2, Y: y + chamberHeight}, c + columns})
	}
	return all
}
