package smooth

import "slices"

// plane is one value of each row, one after the other.
type plane struct {
	size  int
	data  []byte
	spare []byte
}

// from is as many values as a column has, from a row on.
func (p *plane) from(row int, column []byte) []byte {
	at := row * p.size
	return p.data[at : at+len(column)]
}

// at is the value of one row.
func (p *plane) at(row int) []byte {
	return p.data[row*p.size:][:p.size:p.size]
}

// resize makes the plane one of so many rows. Those that are new are zero.
func (p *plane) resize(rows int) {
	old, n := len(p.data), rows*p.size
	if n > cap(p.data) {
		grown := make([]byte, n, max(n, 2*cap(p.data)))
		copy(grown, p.data)
		p.data = grown
		return
	}
	p.data = p.data[:n]
	if n > old {
		clear(p.data[old:])
	}
}

// rearrange gives the values the order of the rows, and zero to new ones.
func (p *plane) rearrange(rows int, moves []move) {
	if n := rows * p.size; n > cap(p.spare) {
		p.spare = make([]byte, n, max(n, 2*cap(p.spare)))
	}
	p.data, p.spare = p.spare[:rows*p.size], p.data
	for _, m := range moves {
		to := p.data[m.to*p.size : (m.to+m.rows)*p.size]
		if m.from < 0 {
			clear(to)
			continue
		}
		copy(to, p.spare[m.from*p.size:])
	}
}

// move is rows that stay together on their way from one order to another.
type move struct {
	to, rows int
	from     int // -1: they are new
}

// rearranging is the memory that Arrange works in.
type rearranging struct {
	moves  []move
	marked []mark
}

// Arrange takes note that rows are in another order: row i is the one that was row from[i],
// or is new where that is negative. Rows that are not named are forgotten.
func (t *Track) Arrange(from []int32) {
	t.plan(from)
	t.rows = len(from)
	t.marks, t.marked = rearranged(t.marked, t.marks, t.rows, t.moves), t.marks
	t.stale = true
	t.reorder(&t.last, true)
	t.reorder(&t.before, true)
	t.reorder(&t.shown, t.showing)
	t.reorder(&t.aside, t.showing && t.peeked)
	t.ease.arrange(t, from)
}

// rearranged is marks in the order of the rows, in other memory.
func rearranged(into, marks []mark, rows int, moves []move) []mark {
	into = slices.Grow(into[:0], rows)[:rows]
	for _, m := range moves {
		to := into[m.to : m.to+m.rows]
		if m.from < 0 {
			clear(to)
		} else {
			copy(to, marks[m.from:])
		}
	}
	return into
}

// plan finds the rows that stay together.
func (t *Track) plan(from []int32) {
	t.moves = t.moves[:0]
	for to := 0; to < len(from); {
		n := together(from[to:])
		t.moves = append(t.moves, move{to: to, rows: n, from: int(max(from[to], -1))})
		to += n
	}
}

// together counts the rows at the beginning that follow each other, or that are all new.
func together(from []int32) (n int) {
	first := from[0]
	if first < 0 {
		for n < len(from) && from[n] < 0 {
			n++
		}
		return n
	}
	for n < len(from) && from[n] == first+int32(n) {
		n++
	}
	return n
}

// reorder brings a plane into the new order, or only to its size if what it holds counts
// for nothing.
func (t *Track) reorder(p *plane, counts bool) {
	if counts {
		p.rearrange(t.rows, t.moves)
	} else {
		p.resize(t.rows)
	}
}
