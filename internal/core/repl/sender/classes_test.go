package sender

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle"
)

// Records of a class with enough members are placed together, each class and the rest in their
// previous order, and no record is lost.
func TestClassesStandTogether(t *testing.T) {
	var p Peer
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 3*usualRecords).Draw(t, "n")
		kinds := rapid.IntRange(1, maxClasses).Draw(t, "kinds")
		records := make([]planned, n)
		for i := range records {
			records[i] = planned{
				at: int32(i), base: entangle.Tick(rapid.IntRange(1, kinds).Draw(t, "base")), kind: uint8(rapid.IntRange(0, 1).Draw(t, "kind")),
			}
		}
		want := byClass(records)
		p.sortOut(records, true)
		require.Equal(t, want, records)
	})
}

// byClass is a simple model of sort, for as many classes as can be distinguished.
func byClass(records []planned) (sorted []planned) {
	var classes [][]planned
	for _, rec := range records {
		k := slices.IndexFunc(classes, func(c []planned) bool { return c[0].alike(&rec) })
		if k < 0 || rec.kind == 0 {
			classes = append(classes, []planned{rec})
		} else {
			classes[k] = append(classes[k], rec)
		}
	}
	slices.SortFunc(classes, func(a, b []planned) int { return int(a[0].base%maxClasses) - int(b[0].base%maxClasses) })
	sorted = make([]planned, 0, len(records))
	for _, c := range classes {
		if len(c) >= minAlike {
			sorted = append(sorted, c...)
		}
	}
	for _, rec := range records {
		n := 0
		for i := range records {
			if rec.alike(&records[i]) {
				n++
			}
		}
		if n < minAlike {
			sorted = append(sorted, rec)
		}
	}
	return sorted
}

// Beyond the number of classes that can be distinguished, records keep their order.
func TestTooManyClasses(t *testing.T) {
	var records, want []planned
	for i := range 3 * minAlike * maxClasses {
		records = append(records, planned{at: int32(i), base: entangle.Tick(i % (2 * maxClasses)), kind: 1})
	}
	for k := range maxClasses {
		for i := k; i < len(records); i += 2 * maxClasses {
			want = append(want, records[i])
		}
	}
	for i := range records {
		if i%(2*maxClasses) >= maxClasses {
			want = append(want, records[i])
		}
	}
	var p Peer
	p.sortOut(records, true)
	require.Equal(t, want, records)
}

// If not all records may fit, those of the usual class come first, and the others follow in their
// previous order.
func TestOthersTakeTurns(t *testing.T) {
	var usual, others []planned
	records := make([]planned, 40)
	for i := range records {
		records[i] = planned{at: int32(i), base: entangle.Tick(i % 3), kind: 1}
		if i%3 == len(records)/2%3 {
			usual = append(usual, records[i])
		} else {
			others = append(others, records[i])
		}
	}
	var p Peer
	p.sortOut(records, false)
	require.Equal(t, append(usual, others...), records)
}
