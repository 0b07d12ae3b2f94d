package smooth

import "slices"

// plane is an array with one value for each row.
type plane struct {
	size    int
	data    []byte
	scratch []byte
}

// from returns the memory for the values of column, which begin at a row.
func (p *plane) from(row int, column []byte) []byte {
	at := row * p.size
	return p.data[at : at+len(column)]
}

// valueAt returns the value of one row.
func (p *plane) valueAt(row int) []byte {
	return p.data[row*p.size:][:p.size:p.size]
}

// resize sets the number of rows. New rows are zero.
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

// rearrange moves the values to a new order of rows. New rows are zero.
func (p *plane) rearrange(rows int, moves []move) {
	if n := rows * p.size; n > cap(p.scratch) {
		p.scratch = make([]byte, n, max(n, 2*cap(p.scratch)))
	}
	p.data, p.scratch = p.scratch[:rows*p.size], p.data
	for _, m := range moves {
		to := p.data[m.to*p.size : (m.to+m.rows)*p.size]
		if m.from < 0 {
			clear(to)
			continue
		}
		copy(to, p.scratch[m.from*p.size:])
	}
}

// move is a range of rows that remain consecutive when the order changes.
type move struct {
	to, rows int
	from     int // -1 for new rows
}

// rearranging is the scratch memory of Arrange.
type rearranging struct {
	moves  []move
	marked []mark
}

// Arrange changes the order of the rows: row i is the former row from[i], or new if that is
// negative. Former rows that from does not contain are removed.
func (t *Track) Arrange(from []int32) {
	t.plan(from)
	t.rows = len(from)
	t.marks, t.marked = rearranged(t.marked, t.marks, t.rows, t.moves), t.marks
	t.stale = true
	t.reorder(&t.last, true)
	t.reorder(&t.before, true)
	t.reorder(&t.shown, t.showing)
	t.reorder(&t.present, t.showing && t.peeked)
	t.ease.arrange(t, from)
}

// rearranged copies marks in the new order of rows.
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

// plan finds the ranges of rows that remain consecutive.
func (t *Track) plan(from []int32) {
	t.moves = t.moves[:0]
	for to := 0; to < len(from); {
		n := together(from[to:])
		t.moves = append(t.moves, move{to: to, rows: n, from: int(max(from[to], -1))})
		to += n
	}
}

// together returns how many rows at the beginning of from are consecutive, or are all new.
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

// reorder applies the new order to a plane. If the content of the plane is not needed, it only
// changes its size.
func (t *Track) reorder(p *plane, counts bool) {
	if counts {
		p.rearrange(t.rows, t.moves)
	} else {
		p.resize(t.rows)
	}
}
