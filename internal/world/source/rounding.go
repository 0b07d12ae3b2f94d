package source

import (
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/wire"
)

// Rounding rounds values in place to the values that the wire can express, at the end of every tick
// and on both sides. Server and client then compute with the same numbers. If only the wire rounded,
// a client would continue from a value different from the server's.
type Rounding struct {
	cols    []roundedColumn
	clamped uint64
}

type roundedColumn struct {
	col  int // of the table
	plan *wire.Plan
}

// NewRounding returns the rounding of the components that are registered to be rounded. The column of
// a component in the table has its number.
func NewRounding(infos []*registry.Component) (l Rounding) {
	for i, info := range infos {
		if info.Round {
			l.cols = append(l.cols, roundedColumn{i, info.Plan})
		}
	}
	return l
}

// Any reports whether there is anything to round.
func (r *Rounding) Any() bool { return len(r.cols) > 0 }

// Round rounds all entities of a table. The rows of the table must be up to date. It returns the columns
// with numbers that were outside their range.
func (r *Rounding) Round(t *columns.Table) (clamped set.Mask) {
	for segment := range t.Segments() {
		_, mask := t.Rows(segment)
		for i := range r.cols {
			if c := &r.cols[i]; mask.Has(c.col) {
				if n := c.plan.RoundColumn(t.ColumnRows(segment, c.col)); n > 0 {
					r.clamped += uint64(n)
					clamped.Set(c.col)
				}
			}
		}
	}
	return clamped
}

// Rounds reports whether there are components to round.
func (c *Collector) Rounds() bool { return c.rounding.Any() }

// Round rounds the replicated entities. The error is that of Observe.
func (c *Collector) Round() error {
	if err := c.Table.Sync(); err != nil {
		return err
	}
	clamped := c.rounding.Round(c.Table)
	for comp := clamped.Next(0); comp >= 0; comp = clamped.Next(comp + 1) {
		c.logClamped(comp)
	}
	return nil
}
