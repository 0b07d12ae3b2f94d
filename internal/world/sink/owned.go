package sink

import (
	"encoding/binary"
	"reflect"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
)

// ownership finds the owned entities of this client. It tags them with
// components.Controlled in the same step in which their components.ControlledBy arrives.
type ownership struct {
	comp   int // number of components.ControlledBy; -1: it is not registered
	client int // offset of the client id in a value
	tag    ecs.ID
	me     func() entangle.ClientID // nil without a connection
}

func newOwnership(w *ecs.World, infos []*registry.Component) ownership {
	control := reflect.TypeFor[components.ControlledBy]()
	o := ownership{comp: -1, tag: ecs.ComponentID[components.Controlled](w)}
	for i, info := range infos {
		if info.Type == control {
			o.comp = i
		}
	}
	field, _ := control.FieldByName("Client")
	o.client = int(field.Offset)
	return o
}

// Connected sets the function that returns the id of this client.
func (a *Applier) Connected(me func() entangle.ClientID) { a.owned.me = me }

// mine reports whether a value of components.ControlledBy names this client.
func (o *ownership) mine(value []byte) bool {
	id := entangle.ClientID(binary.NativeEndian.Uint64(value[o.client:]))
	return o.me != nil && id != entangle.Nobody && id == o.me()
}

// tagOwned adds or removes the tag of a member according to the current record.
func (a *Applier) tagOwned(e ecs.Entity, m *stagedMember, values []stagedValue) {
	o, s := &a.owned, &a.stage
	if o.comp < 0 {
		return
	}
	has := a.world.Has(e, o.tag)
	should := has && !m.removed.Has(o.comp)
	for i := range values {
		if values[i].comp == o.comp {
			should = o.mine(s.buf[values[i].at:])
		}
	}
	switch {
	case should && !has:
		s.add = append(s.add, o.tag)
	case has && !should:
		s.remove = append(s.remove, o.tag)
	}
}

// affectedBy reports whether a change of these components may change tags.
func (o *ownership) affectedBy(comps *set.Mask) bool { return o.comp >= 0 && comps.Has(o.comp) }
