package plugin

import (
	"fmt"
	"math"

	"github.com/mlange-42/arche/ecs"
)

// Vec is a point or a direction in the game's unit. In two dimensions Z is 0.
type Vec struct{ X, Y, Z float64 }

// Ball is a ball: in two dimensions a circle.
type Ball struct {
	Center Vec
	Radius float64
}

// Overlaps reports whether two balls have a point in common.
func (b Ball) Overlaps(o Ball) bool {
	x, y, z, reach := b.Center.X-o.Center.X, b.Center.Y-o.Center.Y, b.Center.Z-o.Center.Z, b.Radius+o.Radius
	return x*x+y*y+z*z <= reach*reach
}

// Box is a box with edges parallel to the axes, from its lowest corner to its highest.
type Box struct{ Low, High Vec }

// Overlaps reports whether a box and a ball have a point in common.
func (b *Box) Overlaps(o Ball) bool {
	x := max(b.Low.X-o.Center.X, o.Center.X-b.High.X, 0)
	y := max(b.Low.Y-o.Center.Y, o.Center.Y-b.High.Y, 0)
	z := max(b.Low.Z-o.Center.Z, o.Center.Z-b.High.Z, 0)
	return x*x+y*y+z*z <= o.Radius*o.Radius
}

// Ray is the line from a point to another one.
type Ray struct {
	from, way Vec
	square    float64 // of its length
}

// NewRay returns the line from a point to another one.
func NewRay(from, to Vec) Ray {
	way := Vec{to.X - from.X, to.Y - from.Y, to.Z - from.Z}
	return Ray{from: from, way: way, square: way.X*way.X + way.Y*way.Y + way.Z*way.Z}
}

// Ball reports whether the line meets a ball, and at which share of the line it does first, from 0 to 1. It is 0 if
// the line begins inside.
func (r *Ray) Ball(b Ball) (share float64, ok bool) {
	if along, beyond := r.offset(b); beyond > 0 && (along >= 0 || along*along < r.square*beyond) {
		return 0, false
	}
	return r.enter(b)
}

// offset returns how far the ball lies behind the beginning of the line, times its length, and the square of the
// distance from there to the center, less that of the radius.
func (r *Ray) offset(b Ball) (behind, beyond float64) {
	x, y, z := r.from.X-b.Center.X, r.from.Y-b.Center.Y, r.from.Z-b.Center.Z
	return r.way.X*x + r.way.Y*y + r.way.Z*z, x*x + y*y + z*z - b.Radius*b.Radius
}

// enter is Ball for one that the line meets if it is long enough. That is rare: by a call with the same arguments, Ball
// is twice as fast for the others.
func (r *Ray) enter(b Ball) (share float64, ok bool) {
	behind, beyond := r.offset(b)
	if beyond <= 0 {
		return 0, true
	}
	share = (-behind - math.Sqrt(behind*behind-r.square*beyond)) / r.square
	return share, share <= 1
}

// Box is Ball for a box.
func (r *Ray) Box(b *Box) (share float64, ok bool) {
	enter, leave := clip(0, 1, r.from.X, r.way.X, b.Low.X, b.High.X)
	enter, leave = clip(enter, leave, r.from.Y, r.way.Y, b.Low.Y, b.High.Y)
	enter, leave = clip(enter, leave, r.from.Z, r.way.Z, b.Low.Z, b.High.Z)
	return enter, enter <= leave
}

// clip returns the part of a line that is between two planes. It is empty if leave is less than enter.
func clip(enter, leave, from, way, low, high float64) (_, _ float64) {
	if way == 0 {
		if from < low || from > high {
			return 1, 0
		}
		return enter, leave
	}
	first, last := (low-from)/way, (high-from)/way
	return max(enter, min(first, last)), min(leave, max(first, last))
}

// RewindHit is a target that a shot has met.
type RewindHit struct {
	// Target is its index in the view, and Entity the entity, which may be despawned by now.
	Target int
	Entity ecs.Entity
	// Share is how much of the line was over, from 0 to 1. It is 0 in an overlap.
	Share float64
	// Rewound says which time the target was rewound to, and by how much.
	Rewound Rewound
}

// RaycastBalls returns the target that a line meets first. ball returns the ball of a target from its T as the player
// saw it. It is not ok for a target that cannot be hit, such as the shooter. The world is not touched, and nothing
// is allocated. It panics if ball is nil.
func (v *RewindView[T]) RaycastBalls(ray Ray, ball func(e ecs.Entity, value *T) (b Ball, ok bool)) (hit RewindHit, ok bool) {
	mustGive("RaycastBalls", ball != nil)
	for i := range v.values {
		if v.absent[i] {
			continue
		}
		if b, takes := ball(v.entity(i), &v.values[i]); takes {
			if share, met := ray.Ball(b); met && (!ok || share < hit.Share) {
				hit.Target, hit.Share, ok = i, share, true
			}
		}
	}
	return v.complete(hit, ok), ok
}

// RaycastBoxes is RaycastBalls for boxes.
func (v *RewindView[T]) RaycastBoxes(ray Ray, box func(e ecs.Entity, value *T) (b Box, ok bool)) (hit RewindHit, ok bool) {
	mustGive("RaycastBoxes", box != nil)
	for i := range v.values {
		if v.absent[i] {
			continue
		}
		if b, takes := box(v.entity(i), &v.values[i]); takes {
			if share, met := ray.Box(&b); met && (!ok || share < hit.Share) {
				hit.Target, hit.Share, ok = i, share, true
			}
		}
	}
	return v.complete(hit, ok), ok
}

// OverlapBalls calls each for the targets that have a point in common with an area, such as that of an explosion.
// ball is as in RaycastBalls. It panics if a function is nil.
func (v *RewindView[T]) OverlapBalls(area Ball, ball func(e ecs.Entity, value *T) (b Ball, ok bool), each func(RewindHit)) {
	mustGive("OverlapBalls", ball != nil && each != nil)
	for i := range v.values {
		if v.absent[i] {
			continue
		}
		if b, takes := ball(v.entity(i), &v.values[i]); takes && b.Overlaps(area) {
			each(v.complete(RewindHit{Target: i}, true))
		}
	}
}

// OverlapBoxes is OverlapBalls for boxes.
func (v *RewindView[T]) OverlapBoxes(area Ball, box func(e ecs.Entity, value *T) (b Box, ok bool), each func(RewindHit)) {
	mustGive("OverlapBoxes", box != nil && each != nil)
	for i := range v.values {
		if v.absent[i] {
			continue
		}
		if b, takes := box(v.entity(i), &v.values[i]); takes && b.Overlaps(area) {
			each(v.complete(RewindHit{Target: i}, true))
		}
	}
}

// mustGive panics unless a call was given its functions.
func mustGive(call string, given bool) {
	if !given {
		panic(fmt.Sprintf("plugin: %s with a nil function; give one that returns the shape of a target, and to an overlap one that takes the hits", call))
	}
}

// complete fills in what a hit says of its target.
func (v *RewindView[T]) complete(hit RewindHit, ok bool) RewindHit {
	if ok {
		hit.Entity, hit.Rewound = v.entity(hit.Target), v.Rewound(hit.Target)
	}
	return hit
}
