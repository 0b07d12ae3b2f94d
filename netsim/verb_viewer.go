package netsim

import (
	"errors"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
)

var errViewer = errors.New("give radius NUMBER, then room NUMBER if it sees for a room; or off")

// viewer NAME radius NUMBER [room ROOM] makes an entity of the server's world a viewer for the
// client that controls it, or for the clients in a room; viewer NAME off removes the viewer.
func (c *cast) viewer(args *Args, _ *Trace) error {
	name, e, err := c.entity(args)
	if err != nil {
		return err
	}
	id := ecs.ComponentID[components.Viewer](c.world())
	if args.Take("off") {
		if !c.world().Has(e, id) {
			return noSubject("%q is no viewer", name)
		}
		c.world().Remove(e, id)
		return nil
	}
	v, err := viewerOf(args)
	switch {
	case err != nil:
		return err
	case c.world().Has(e, id):
		c.world().Set(e, id, &v)
	default:
		c.world().Assign(e, ecs.Component{ID: id, Comp: &v})
	}
	return nil
}

// viewerOf takes the words of a viewer.
func viewerOf(a *Args) (v components.Viewer, err error) {
	if !a.Take("radius") {
		return v, errViewer
	}
	radius, err := a.Int()
	if err != nil {
		return v, err
	}
	v.Radius = float32(radius)
	if a.Take("room") {
		v.Room, err = a.Room()
	}
	return v, err
}
