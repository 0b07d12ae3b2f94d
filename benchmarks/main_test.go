package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/benchmarks/cases"
	"github.com/entangle-ecs/entangle/benchmarks/report"
)

// TestEveryCaseRuns runs each variant for a few rounds. Both sides must work and do the same, and a
// variant with a goal must not allocate on our side, unless its operation is no steady tick. Under the race detector the heavy variants are
// left out: TestScenesCompareEveryClient covers the same code.
func TestEveryCaseRuns(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, start(options{json: true, short: true, light: raceDetector}, &out))
	seen := map[string]bool{}
	for dec := json.NewDecoder(&out); dec.More(); {
		var r report.Result
		require.NoError(t, dec.Decode(&r))
		assert.False(t, seen[r.Name], "%s is there twice", r.Name)
		seen[r.Name] = true
		assert.Positive(t, r.OursNs, r.Name)
		if r.Name != "join/bytes" { // its limit adds up some sizes, which can be shorter than a step of the clock
			assert.Positive(t, r.LimitNs, r.Name)
		}
		if r.Goal != 0 && !r.Grows && !raceDetector {
			assert.Less(t, min(r.Allocs, allocationsAgain(t, &r)), 1.0, r.Name)
		}
	}
	for _, v := range cases.All() {
		assert.Equal(t, (!raceDetector || !v.Heavy) && v.Left() == "", seen[v.Name], v.Name)
	}
}

// allocationsAgain runs a variant with real sockets once more, if it has allocated: the runtime itself allocates when it
// starts a thread for a socket. For all others it returns the allocations of r.
func allocationsAgain(t *testing.T, r *report.Result) float64 {
	if r.Allocs < 1 || !strings.HasPrefix(r.Name, "udp/") {
		return r.Allocs
	}
	var out bytes.Buffer
	require.NoError(t, start(options{run: r.Name, json: true, short: true}, &out))
	var again report.Result
	require.NoError(t, json.NewDecoder(&out).Decode(&again))
	return again.Allocs
}

func TestTableHasALinePerVariant(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, start(options{run: "messages", short: true}, &out))
	assert.Equal(t, 1+len(cases.MessageVariants()), strings.Count(out.String(), "\n"))
}

func TestWrongFlagsAreErrors(t *testing.T) {
	assert.ErrorContains(t, start(options{run: "no-such-case"}, &bytes.Buffer{}), "no-such-case")
	assert.ErrorContains(t, start(options{profile: "gpu"}, &bytes.Buffer{}), "cpu or mem")
}

func TestMissedGoals(t *testing.T) {
	for name, c := range map[string]struct {
		r      report.Result
		missed bool
	}{
		"reported only":   {report.Result{Ratio: 9, Allocs: 9}, false},
		"good":            {report.Result{Goal: 1.5, Ratio: 1.5}, false},
		"too slow":        {report.Result{Goal: 1.5, Ratio: 1.51}, true},
		"allocates":       {report.Result{Goal: 1.5, Ratio: 1, Allocs: 1}, true},
		"grows":           {report.Result{Goal: 1.5, Ratio: 1, Allocs: 1, Grows: true}, false},
		"rate good":       {report.Result{Goal: 0.9, Ratio: 0.9, AtLeast: true}, false},
		"rate too small":  {report.Result{Goal: 0.9, Ratio: 0.89, AtLeast: true}, true},
		"rate high, fine": {report.Result{Goal: 0.9, Ratio: 3, AtLeast: true}, false},
	} {
		assert.Equal(t, c.missed, c.r.Missed(), name)
	}
}

// TestLazyLimitFailsTheRun checks that a limit must not take much more time than its anchors.
func TestLazyLimitFailsTheRun(t *testing.T) {
	r := &report.Result{LimitNs: 131, Anchors: map[string]float64{"copy": 60, "bytes.Equal": 40}}
	s := &report.Sides{Anchored: true}
	assert.ErrorContains(t, s.CheckAnchors("x", r, false), "write a better limit")
	r.LimitNs = 129
	assert.NoError(t, s.CheckAnchors("x", r, false))
}

// TestDifferentWorkFailsTheRun checks that a run fails if the two sides do different work.
func TestDifferentWorkFailsTheRun(t *testing.T) {
	nothing := func() {}
	v := report.Variant{Name: "x", Prepare: func() (report.Sides, error) {
		return report.Sides{Ours: nothing, Limit: nothing, Verify: func() error { return errors.New("no") }}, nil
	}}
	_, err := v.Run(true)
	assert.ErrorContains(t, err, "do not do the same work")
}

// TestPartsOfAnOperationAreOneOperation checks that what happens between the parts of an operation is
// neither timed nor counted.
func TestPartsOfAnOperationAreOneOperation(t *testing.T) {
	parts, others := 0, 0
	var kept [][]byte
	v := report.Variant{Name: "x", Prepare: func() (report.Sides, error) {
		return report.Sides{
			Before: func() { parts = 0 },
			Ours:   func() { parts++; kept = append(kept[:0], make([]byte, 100)) },
			Between: func() bool {
				others++
				for start := time.Now(); time.Since(start) < time.Millisecond; {
					kept = append(kept[:0], make([]byte, 100))
				}
				return parts < 3
			},
			Limit: func() {},
		}, nil
	}}
	r, err := v.Run(true)
	require.NoError(t, err)
	assert.Equal(t, 3, parts)
	assert.Zero(t, others%3)
	assert.InDelta(t, 3, r.Allocs, 0.1)
	assert.Less(t, r.OursNs, 1e6)
}
