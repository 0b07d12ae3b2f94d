package source

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/sid"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
	"github.com/mlange-42/arche/generic"
)

// SIDs gives the entities of a server's world their shared ids.
type SIDs struct {
	world   *ecs.World
	id      ecs.ID
	mask    ecs.Mask
	ids     generic.Map[components.SID]
	numbers *sid.Numbers
	added   []ecs.Entity // that got a components.SID since the last call of Number
}

// NewSIDs returns the shared ids of a world, in an order that entropy decides. It fails
// if reading entropy fails, or if the world has a listener of its own.
func NewSIDs(w *ecs.World, entropy io.Reader) (*SIDs, error) {
	var key [16]byte
	if _, err := io.ReadFull(entropy, key[:]); err != nil {
		return nil, fmt.Errorf("source: the order of shared ids: %w", err)
	}
	s := &SIDs{
		world: w, id: ecs.ComponentID[components.SID](w), ids: generic.NewMap[components.SID](w),
		numbers: sid.New([2]uint64{binary.LittleEndian.Uint64(key[:]), binary.LittleEndian.Uint64(key[8:])}),
	}
	s.mask = ecs.All(s.id)
	for query := w.Query(&s.mask); query.Next(); {
		s.added = append(s.added, query.Entity())
	}
	return s, tick.ShareListener(w, s)
}

// Number sets the ids that are zero and were added since the last call.
func (s *SIDs) Number() {
	if s == nil {
		return
	}
	for _, e := range s.added {
		if !s.world.Alive(e) || !s.ids.Has(e) {
			continue
		}
		if id := s.ids.Get(e); id.ID == 0 {
			id.ID = s.numbers.Next()
		}
	}
	s.added = s.added[:0]
}

// Subscriptions implements ecs.Listener.
func (s *SIDs) Subscriptions() event.Subscription { return event.EntityCreated | event.ComponentAdded }

// Components implements ecs.Listener.
func (s *SIDs) Components() *ecs.Mask { return &s.mask }

// Notify implements ecs.Listener. It changes nothing: the world may be locked.
func (s *SIDs) Notify(w *ecs.World, evt ecs.EntityEvent) {
	if w == s.world && evt.Added.Get(s.id) {
		s.added = append(s.added, evt.Entity)
	}
}
