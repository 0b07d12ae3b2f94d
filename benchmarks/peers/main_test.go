package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/benchmarks/cases"
)

// TestBothSidesHaveTheSameScenarios compares the names of our scenarios with those in the source of
// the other program, which is not built here, and with the rows of docs/COSTS.md.
func TestBothSidesHaveTheSameScenarios(t *testing.T) {
	var want []string
	for _, v := range cases.Peers() {
		want = append(want, v.Name)
	}
	for file, pattern := range map[string]string{
		"replicon/src/scenarios.rs": `new::<\w+>\(\s*"([^"]+)"`,
		"../../docs/COSTS.md":       `(?m)^\| ([^ |]+) \| [\d.,]+ \([\d.,]+\) \| [\d.,]+ \(`,
	} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var got []string
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
			got = append(got, m[1])
		}
		assert.Equal(t, want, got, file)
	}
}

func TestTable(t *testing.T) {
	var out strings.Builder
	p := pair{name: "a/1", ours: []float64{3000, 1000, 2000}, theirs: []float64{4e6, 5e6, 4e6}, seal: []float64{500, 600, 700}}
	p.last.Bytes, p.lastOther.Bytes = 999, 1_234_567
	printTable(&out, []pair{p})
	assert.Contains(t, out.String(), "\n| a/1 | 2.00 (1.00) | 4,000 (4,000) | 0.00 | 0.60 | 999 | 1,234,567 |\n")
}

func TestWrongOptionsAreErrors(t *testing.T) {
	assert.ErrorContains(t, start(options{turns: 0}, &strings.Builder{}), "turns")
}
