package smooth

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
	t.marks, t.marked = rearranged(t.marked, t.marks, from), t.marks
	t.stale = true
	t.reorder(&t.last, true)
	t.reorder(&t.before, true)
	t.reorder(&t.shown, t.showing)
	t.reorder(&t.aside, t.showing && t.peeked)
	t.ease.arrange(t, from)
}

// rearranged is marks in the order of the rows, in other memory.
func rearranged(into, marks []mark, from []int32) []mark {
	into = into[:0]
	for _, row := range from {
		if row < 0 {
			into = append(into, 0)
		} else {
			into = append(into, marks[row])
		}
	}
	return into
}

// plan finds the rows that stay together.
func (t *Track) plan(from []int32) {
	t.moves = t.moves[:0]
	for to, row := range from {
		if n := len(t.moves); n > 0 {
			m := &t.moves[n-1]
			if row < 0 && m.from < 0 || m.from >= 0 && int(row) == m.from+m.rows {
				m.rows++
				continue
			}
		}
		t.moves = append(t.moves, move{to: to, rows: 1, from: int(max(row, -1))})
	}
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
