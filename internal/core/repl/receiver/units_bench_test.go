package receiver_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
)

// BenchmarkManyUnits receives messages of as many units as fit that apply, while others wait for what never comes: as many
// as a call examines.
func BenchmarkManyUnits(b *testing.B) {
	r := receiver.New(&nothing{}, comps)
	for i := range uint64(500) {
		u := whole(i)
		u.needs = []repl.Need{need(99, 10)}
		require.NoError(b, r.HandleActions(units(20, u)))
	}
	waits, m, parts := r.WaitingBytes(), []byte(nil), []part(nil)
	for i := uint64(0); len(m) < 24<<10; i++ {
		if parts = append(parts, whole(i)); i%64 == 0 {
			m = units(21, parts...)
		}
	}
	tick := uint32(21)
	for ; b.Loop(); tick++ {
		binary.LittleEndian.PutUint32(m, tick)
		require.NoError(b, r.HandleActions(m))
		require.Equal(b, waits, r.WaitingBytes())
	}
	b.ReportMetric(float64(len(m)), "B/msg")
	b.ReportMetric(float64(len(parts)), "units/msg")
}
