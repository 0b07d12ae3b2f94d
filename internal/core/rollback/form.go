package rollback

import (
	"github.com/entangle-ecs/entangle/internal/set"
)

// Slot is the dense number of an entity, never 0.
type Slot uint32

// Mask is a set of columns.
type Mask = set.Mask

// Form is the structure of one entity at the end of a tick. The zero Form belongs to an entity that
// does not exist.
type Form struct {
	Alive  bool   // it exists, even if its components are disabled
	Mask   Mask   // the columns that it has; none that is compared if its components are disabled
	Target uint64 // of its relation, as the caller packs it; 0: none
}
