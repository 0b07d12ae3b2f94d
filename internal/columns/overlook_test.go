package columns

import (
	"fmt"
	"testing"

	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
)

// A change in an overlooked column is accepted and not reported, then or later; the other columns are
// reported as usual.
func TestAnOverlookedColumnIsAccepted(t *testing.T) {
	for _, rows := range []int{smallRows / 2, 3 * blockRows} {
		t.Run(fmt.Sprint(rows), func(t *testing.T) {
			x := newTestWorld(t)
			var all []ecs.Entity
			for range rows {
				all = append(all, x.spawn(colHealth, colBody))
			}
			x.observe(t)
			hurt := func(points int32) {
				for _, e := range all {
					(*testHealth)(x.w.Get(e, x.id(colHealth))).Points = points
					(*testBody)(x.w.Get(e, x.id(colBody))).X = float64(points)
				}
				x.observe(t)
			}
			for _, col := range []int{colHealth, colBody} { // compared by their bytes, and by Equal
				other := colHealth + colBody - col
				var overlooked set.Mask
				overlooked.Set(col)
				x.table.Overlook(overlooked)
				hurt(int32(1 + col))
				assert.Empty(t, x.table.Changed(col))
				assert.Len(t, x.table.Changed(other), rows)
				slot := x.slot(t, all[0])
				assert.Equal(t, x.table.Value(slot, col), x.table.Known(slot, col))

				x.table.Overlook(set.Mask{})
				x.observe(t)
				assert.Empty(t, x.table.Changed(col))
				hurt(0)
				assert.Len(t, x.table.Changed(col), rows)
			}
		})
	}
}
