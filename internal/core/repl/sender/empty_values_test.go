package sender

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// emptyFirst is a source of values of a byte, except for component 0, of which the codec writes nothing.
type emptyFirst struct{}

func (emptyFirst) Encode(w *bits.Writer, _ repl.Slot, comp int, _ *repl.RefTable) {
	if comp > 0 {
		w.Bits(7, 8)
	}
}

// A changed value of which the codec writes no bits is not sent alone, and is sent with others: in a group of one, and in
// one of several, to one peer and as a part of a run. The next changes are sent as usual.
//
// Proves: R6
func TestAValueWithoutBitsIsSentWithOthers(t *testing.T) {
	for name, c := range map[string]struct {
		place    group.Place
		entities repl.Slot
		alone    bool // the change of the empty value is sent
	}{
		"a group of one":         {entities: 1},
		"a run of groups of one": {entities: 20},
		"a private group of one": {place: group.Place{Private: true}, entities: 1},
		"a group of several":     {place: group.Place{Name: 1}, entities: 3, alone: true}, // its update lists the member
	} {
		w, tick := NewWorld(emptyFirst{}, 2), entangle.Tick(0)
		p := w.NewPeer()
		step := func(change func(s repl.Slot)) (update []byte) {
			tick++
			w.Begin(tick)
			for s := range c.entities {
				change(s)
			}
			w.Commit()
			for len(p.AppendActions(nil, 1000)) > 0 {
				p.ActionsSent(uint16(tick))
				p.HandleDelivered(uint16(tick))
			}
			p.Prepare()
			update = p.AppendUpdates(nil, 1000, uint16(tick))
			p.HandleAcked(uint16(tick))
			return update
		}
		step(func(s repl.Slot) { w.SpawnAt(s, set.MaskOf(0, 1), c.place); p.Show(s) })
		for range 3 {
			assert.Equal(t, c.alone, len(step(func(s repl.Slot) { w.Change(0, []repl.Slot{s}) })) > 0, name)
			both := len(step(func(s repl.Slot) { w.Change(0, []repl.Slot{s}); w.Change(1, []repl.Slot{s}) }))
			assert.GreaterOrEqual(t, both, int(c.entities), name)
			assert.NotEmpty(t, step(func(s repl.Slot) { w.Change(1, []repl.Slot{s}) }), name)
			assert.True(t, p.Idle(), name)
		}
	}
}
