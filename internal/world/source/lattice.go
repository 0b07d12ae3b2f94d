package source

import (
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
)

// Rounding rounds values in place to what the wire can say, at the end of every tick and on
// both sides. Where server and client compute with the same numbers they come to the same;
// if only the wire rounded, a client would go on from another value than the server does.
type Rounding struct {
	cols    []roundedColumn
	clamped uint64
}

type roundedColumn struct {
	col  int // of the table
	plan *wire.Plan
}

// newLattice returns the rounding of those components that are rounded. col is a component's
// column, negative where it has none.
func NewRounding(infos []*registry.Component, col func(number int) int) (l Rounding) {
	for i, info := range infos {
		if c := col(i); info.Round && c >= 0 {
			l.cols = append(l.cols, roundedColumn{c, info.Plan})
		}
	}
	return l
}

// Any reports whether there is anything to round.
func (l *Rounding) Any() bool { return len(l.cols) > 0 }

// Round rounds all entities of a table, whose rows are up to date.
func (l *Rounding) Round(t *columns.Table) {
	for segment := range t.Segments() {
		_, mask := t.Rows(segment)
		for i := range l.cols {
			if c := &l.cols[i]; mask.Has(c.col) {
				l.clamped += uint64(c.plan.RoundColumn(t.ColumnRows(segment, c.col)))
			}
		}
	}
}

// Rounds reports whether there are components to round.
func (p *Publisher) Rounds() bool { return p.rounding.Any() }

// Round rounds what is replicated. The error is one of Observe.
func (p *Publisher) Round() error {
	if err := p.Table.Sync(); err != nil {
		return err
	}
	p.rounding.Round(p.Table)
	return nil
}
