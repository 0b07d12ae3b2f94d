package main

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
)

// row is what a world shows of a row: how far each dot is on its way around, nil for one
// that has not arrived.
type row [mostDots]*float32

// sight looks at the rows of a world, the server's or a client's.
type sight struct {
	world  *ecs.World
	filter *generic.Filter2[Dot, Turn]
}

func newSight(w *ecs.World) *sight {
	return &sight{world: w, filter: generic.NewFilter2[Dot, Turn]()}
}

// rows returns all rows as they are now; row n is at n-1.
func (s *sight) rows() (rows [rowCount]row) {
	for query := s.filter.Query(s.world); query.Next(); {
		dot, turn := query.Get()
		rows[dot.Row-1][dot.Number] = &turn.Angle
	}
	return rows
}
