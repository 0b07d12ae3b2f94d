package main

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
)

// row is a row of a world: the angle of each dot, nil for a dot that has not arrived.
type row [mostDots]*float32

// view reads the rows of a world, which may be the server's or a client's.
type view struct {
	world  *ecs.World
	filter *generic.Filter2[Dot, Turn]
}

func newView(w *ecs.World) *view {
	return &view{world: w, filter: generic.NewFilter2[Dot, Turn]()}
}

// rows returns the present state of all rows; row n is at index n-1.
func (s *view) rows() (rows [rowCount]row) {
	for query := s.filter.Query(s.world); query.Next(); {
		dot, turn := query.Get()
		rows[dot.Row-1][dot.Number] = &turn.Angle
	}
	return rows
}
