package rollback

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/set"
)

// changing returns a game in which, from tick 10 on, entity 1 gets a relation, loses it, has its
// components disabled, ceases to exist, and exists again.
func changing(t *testing.T) (*game, []Form) {
	g := newGame(t, 1)
	g.cfg.Targets = set.MaskOf(colParent, colLocal)
	forms := []Form{
		{Alive: true, Mask: set.MaskOf(colBody, colParent), Target: 7},
		{Alive: true, Mask: set.MaskOf(colBody)},
		{Alive: true, Disabled: true},
		{},
		{Alive: true, Mask: set.MaskOf(colHealth)},
	}
	g.forms[1] = forms[0]
	for tick, form := range forms[1:] {
		g.change(11+entangle.Tick(tick), 1, form)
	}
	return g, forms
}

// A column that Always adds counts as having been there in all ticks, except for ticks in which the
// components of the entity were disabled or it did not exist. A relation replaces another one.
//
// Proves: B20
func TestWhatAlwaysWasComesToNoTickWithoutTheEntity(t *testing.T) {
	g, forms := changing(t)
	g.Always(1, set.MaskOf(colLocal), Form{Alive: true, Mask: set.MaskOf(colHealth, colLocal), Target: 9})
	for i, want := range []Form{
		{Alive: true, Mask: set.MaskOf(colBody, colLocal), Target: 9},
		{Alive: true, Mask: set.MaskOf(colBody, colLocal), Target: 9},
		forms[2], forms[3], forms[4],
	} {
		assert.Equal(t, want, g.FormAt(1, 10+entangle.Tick(i), g.form(1)), i)
	}
}

// A relation that Always removes is removed from all ticks, with its target.
//
// Proves: B20
func TestARelationThatNeverWasHadNoTarget(t *testing.T) {
	g, forms := changing(t)
	g.Always(1, set.MaskOf(colParent), Form{})
	assert.Equal(t, Form{Alive: true, Mask: set.MaskOf(colBody)}, g.FormAt(1, 10, g.form(1)))
	for i := 1; i < len(forms); i++ {
		assert.Equal(t, forms[i], g.FormAt(1, 10+entangle.Tick(i), g.form(1)), i)
	}
}
