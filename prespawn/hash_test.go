package prespawn

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Hashes are equal if components, tick, owner, salt and the order among equal spawns are, and differ if
// one of them does.
//
// Proves: E1
func TestAHashIsOfComponentsTickOwnerAndSalt(t *testing.T) {
	hash := func(comps set.Mask, tick entangle.Tick, owner entangle.ClientID, salt uint32) uint32 {
		var h Hasher
		h.Begin(tick)
		return h.Hash(comps, owner, salt)
	}
	want := hash(set.MaskOf(1, 5, 70), 1000, 7, 3)
	assert.NotZero(t, want)
	assert.Equal(t, want, hash(set.MaskOf(70, 1, 5), 1000, 7, 3), "the order of components does not matter")
	for name, other := range map[string]uint32{
		"a component less": hash(set.MaskOf(1, 5), 1000, 7, 3),
		"another one":      hash(set.MaskOf(1, 5, 71), 1000, 7, 3),
		"tick":             hash(set.MaskOf(1, 5, 70), 1001, 7, 3),
		"owner":            hash(set.MaskOf(1, 5, 70), 1000, 8, 3),
		"salt":             hash(set.MaskOf(1, 5, 70), 1000, 7, 4),
	} {
		assert.NotEqual(t, want, other, name)
	}
}

// Equal spawns of one tick count in their order, whatever is spawned between them, so that two sides with
// rows in different orders agree on all spawns with salts.
//
// Proves: E7
func TestEqualSpawnsCountInTheirOrder(t *testing.T) {
	type spawn struct {
		owner entangle.ClientID
		salt  uint32
		shot  int // among equal ones
	}
	var all []spawn
	for owner := range entangle.ClientID(4) {
		for salt := range uint32(8) {
			all = append(all, spawn{owner: owner, salt: salt}, spawn{owner: owner, salt: salt, shot: 1})
		}
	}
	hashes := func(order []int) map[spawn]uint32 {
		var h Hasher
		h.Begin(77)
		counts, of := map[spawn]int{}, map[spawn]uint32{}
		for _, i := range order {
			s := spawn{owner: all[i].owner, salt: all[i].salt}
			hash := h.Hash(set.MaskOf(2), s.owner, s.salt)
			s.shot = counts[s]
			counts[spawn{owner: s.owner, salt: s.salt}]++
			of[s] = hash
		}
		return of
	}
	r := rand.New(rand.NewPCG(1, 2))
	want := hashes(r.Perm(len(all)))
	different := map[uint32]bool{}
	for _, hash := range want {
		different[hash] = true
	}
	assert.Len(t, different, len(all))
	for range 50 {
		assert.Equal(t, want, hashes(r.Perm(len(all))))
	}
}

// A tick with as many spawns as before allocates nothing.
func TestHashingAllocatesNothing(t *testing.T) {
	var h Hasher
	tick := func() {
		h.Begin(5)
		for salt := range uint32(100) {
			h.Hash(set.MaskOf(1, 2), 1, salt)
		}
	}
	tick()
	assert.Zero(t, alloctest.Count(100, tick))
}

// The computation is part of the wire protocol: docs/PROTOCOL.md describes it.
func TestHashesStayTheSame(t *testing.T) {
	var h Hasher
	h.Begin(123456)
	assert.Equal(t, []uint32{0x9be3ec8f, 0x8770a7e4, 0xf47fa503}, []uint32{
		h.Hash(set.MaskOf(0, 3, 200), 42, 7), h.Hash(set.MaskOf(0, 3, 200), 42, 7), h.Hash(set.Mask{}, entangle.Nobody, 0),
	})
}
