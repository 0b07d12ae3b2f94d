package repl

import "github.com/entangle-ecs/entangle/internal/set"

// MaxComponents is how many component types a mask can tell apart.
const MaxComponents = set.MaskSize

// Mask is a set of component numbers.
type Mask = set.Mask

// MaskOf returns the set of the given component numbers.
func MaskOf(comps ...int) Mask { return set.MaskOf(comps...) }

// Bitset is a set of slots, handles or peers.
type Bitset = set.Bitset
