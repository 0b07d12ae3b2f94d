package columns

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"
)

// schema describes what a table tracks: which world, which of its entities, and which of their
// components.
type schema struct {
	world  *ecs.World
	marker ecs.ID
	filter ecs.Mask // matches entities with the marker
	cols   []Column // the marker's column is the last
	colOf  map[ecs.ID]int
	shapes map[ecs.Mask]*shape

	formsOnly bool // only structure is tracked, and no values
}

// checkColumns compares the columns with the components that are registered in the world, and fills
// in the size of the marker.
func (sc *schema) checkColumns() error {
	for i := range sc.cols {
		c := &sc.cols[i]
		info, ok := ecs.ComponentInfo(sc.world, c.ID)
		if !ok {
			return fmt.Errorf("columns: the component of column %d is not registered in this world; call ecs.TypeID on it first", i)
		}
		if _, twice := sc.colOf[c.ID]; twice {
			return fmt.Errorf("columns: %v is given twice, or is also the marker; leave one out", info.Type)
		}
		size := int(info.Type.Size())
		if i == sc.markerCol() {
			c.Size = size
		}
		if c.Tag {
			size, c.Size, c.Equal = 0, 0, nil
		}
		if c.Size != size {
			return fmt.Errorf("columns: column %d is %v of %d bytes, not of %d; take the size from its reflect.Type", i, info.Type, size, c.Size)
		}
		sc.colOf[c.ID] = i
	}
	if sc.cols[sc.markerCol()].Size == 0 {
		return fmt.Errorf("columns: the marker has no bytes; rows are found by its address, give it a field")
	}
	return nil
}

func (sc *schema) markerCol() int { return len(sc.cols) - 1 }

// keyOf returns the key of an entity's segment.
func (sc *schema) keyOf(e ecs.Entity) segmentKey {
	return segmentKey{sc.world.Mask(e), sc.world.Relations().GetUnchecked(e, sc.marker)}
}

// shapeOf returns the shape of the segments whose entities have this component mask.
func (sc *schema) shapeOf(mask ecs.Mask) *shape {
	if sh, ok := sc.shapes[mask]; ok {
		return sh
	}
	sh := &shape{place: make([]int, len(sc.cols))}
	for i := range sc.cols {
		c := &sc.cols[i]
		sh.place[i] = -1
		if !mask.Get(c.ID) {
			continue
		}
		if i != sc.markerCol() {
			sh.present.Set(i)
		}
		if c.Size == 0 {
			continue
		}
		sh.place[i] = len(sh.cols)
		sh.cols = append(sh.cols, shapeCol{
			id: c.ID, col: i, size: c.Size, offset: sh.rowSize, diff: diffFuncs[c.Size], inexact: c.Equal != nil,
		})
		sh.rowSize += c.Size
	}
	sc.shapes[mask] = sh
	return sh
}
