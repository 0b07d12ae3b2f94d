package main

import (
	"cmp"
	"slices"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/components"
)

// camera takes snapshots of a world for drawing.
type camera struct {
	world  *ecs.World
	dots   *generic.Filter2[Position, ID]
	boxes  *generic.Filter3[Position, Box, components.ControlledBy]
	twin   ecs.ID
	alarms generic.Map[Alarm]
}

func newCamera(w *ecs.World) *camera {
	return &camera{
		world:  w,
		dots:   generic.NewFilter2[Position, ID]().Without(generic.T[Box]()),
		boxes:  generic.NewFilter3[Position, Box, components.ControlledBy](),
		twin:   ecs.ComponentID[components.ConfirmedOf](w),
		alarms: generic.NewMap[Alarm](w),
	}
}

// nextSnapshot returns a new snapshot, and its number of entities.
func (c *camera) nextSnapshot() (p snapshot, entities int) {
	for query := c.dots.Query(c.world); query.Next(); {
		at, id := query.Get()
		hue := uint8(calmHue)
		if alarm := c.alarms.Get(query.Entity()); alarm != nil {
			hue = alarm.Hue
		}
		p.Dots = append(p.Dots, inByte(at.X), inByte(at.Y), hue, lot(*id))
	}
	for query := c.boxes.Query(c.world); query.Next(); {
		at, box, control := query.Get()
		pictured := boxSnapshot{
			X: inByte(at.X), Y: inByte(at.Y), Hue: box.Hue, Score: box.Score, Owner: control.Client,
		}
		if query.Has(c.twin) {
			p.Twins = append(p.Twins, pictured)
		} else {
			p.Boxes = append(p.Boxes, pictured)
		}
	}
	slices.SortFunc(p.Boxes, func(a, b boxSnapshot) int { return cmp.Compare(a.Hue, b.Hue) })
	return p, p.dots() + len(p.Boxes)
}

// lot maps the numbers of the dots to bytes, so that all bytes are equally frequent.
func lot(id ID) uint8 { return uint8(id.N * 0x9e3779b1 >> 24) }

// inByte maps a coordinate of the field to a byte.
func inByte(v float32) uint8 { return uint8(inField(v) / fieldSize * 255) }
