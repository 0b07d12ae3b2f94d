package inspect

import (
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

// MirroredResource is one registered resource.
type MirroredResource struct {
	// On means that the server replicates it. It is not set on clients.
	On bool
	// Target is the target of the resource on a server.
	Target components.Target
	// There means that the resource exists in the server's world, or that the client has received it.
	There bool
	// Wire is the value as it is sent, but with entities as indexes in Refs; nil for a value that
	// can't be sent.
	Wire []byte
	Refs []ecs.Entity
}

// Resource encodes one resource.
func (m *MirrorRefs) Resource(plan *wire.Plan, value any) ([]byte, []ecs.Entity) {
	var w bits.Writer
	m.refs = nil
	if _, err := plan.EncodeAny(&w, value, m); err != nil {
		return nil, nil
	}
	return append([]byte{}, w.Finish()...), m.refs
}
