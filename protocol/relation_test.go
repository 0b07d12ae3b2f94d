package protocol_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

type (
	bond struct {
		ecs.Relation
		Since uint8
	}
	tie      struct{ ecs.Relation }
	notABond struct {
		Since uint8
		ecs.Relation
	}
)

func TestARelationIsToldByArchesRule(t *testing.T) {
	p := protocol.New(protocol.Config{Name: "game"})
	register[bond](p)
	register[notABond](p)
	register[plain](p)
	require.NoError(t, p.Err())
	w := ecs.NewWorld()
	for _, info := range registry.Of(p).Components {
		arche, _ := ecs.ComponentInfo(&w, ecs.TypeID(&w, info.Type))
		assert.Equal(t, arche.IsRelation, info.Relation, info.Name)
		assert.False(t, info.Hierarchy)
	}
}

func TestOptionsOfRelationsAreChecked(t *testing.T) {
	check(t, []mistake{
		{"no relation", func(p *protocol.Protocol) { protocol.Component[plain](p).Hierarchy() }, protocol.ErrOptions, []string{"embed ecs.Relation"}},
		{"not first", func(p *protocol.Protocol) { protocol.Component[notABond](p).Hierarchy() }, protocol.ErrOptions, []string{"first field"}},
		{"twice", func(p *protocol.Protocol) { protocol.Component[tie](p).Hierarchy().Hierarchy() }, protocol.ErrTwice, []string{"Hierarchy is given twice"}},
		{"delta", func(p *protocol.Protocol) { protocol.Component[bond](p).Delta() }, protocol.ErrOptions, []string{"remove Delta"}},
		{"once", func(p *protocol.Protocol) { protocol.Component[tie](p).Hierarchy().ReplicateOnce() }, protocol.ErrOptions, []string{"ReplicateOnce"}},
	})
}

// Both sides must agree on hierarchies.
func TestAHierarchyIsInTheHash(t *testing.T) {
	one, other := protocol.New(protocol.Config{Name: "game"}), protocol.New(protocol.Config{Name: "game"})
	protocol.Component[tie](one).Hierarchy()
	register[tie](other)
	require.NoError(t, one.Err())
	assert.True(t, registry.Of(one).Components[0].Hierarchy)
	assert.NotEqual(t, one.Hash(), other.Hash())
}

type places []ecs.Entity

func (p *places) Index(e ecs.Entity) uint32 { *p = append(*p, e); return uint32(len(*p)) }

func (p *places) At(i uint32) (ecs.Entity, bool) {
	if int(i) > len(*p) {
		return ecs.Entity{}, false
	}
	return (*p)[i-1], true
}

func TestTheTargetOfARelationOnTheWire(t *testing.T) {
	w := ecs.NewWorld()
	to := w.NewEntity()
	var refs places
	var out bits.Writer
	wire.EncodeTarget(&out, to, &refs)
	wire.EncodeTarget(&out, ecs.Entity{}, &refs)
	out.Uvarint(2)
	assert.Len(t, refs, 1)
	data := out.Finish()
	assert.Equal(t, []byte{0b0000_0010, 0b0000_0100}, data)
	var in bits.Reader
	in.Reset(data)
	assert.Equal(t, to, wire.DecodeTarget(&in, &refs))
	assert.Equal(t, ecs.Entity{}, wire.DecodeTarget(&in, &refs))
	require.NoError(t, in.Err())
	wire.DecodeTarget(&in, &refs)
	require.ErrorIs(t, in.Err(), wire.ErrReference)
}
