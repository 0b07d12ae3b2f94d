package netsim_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
)

// meddling is a game in which the second client writes into its marked replicas after every run.
func meddling(s *randomScene) {
	check := s.bounds
	s.bounds = func() error {
		if len(s.guests) >= 2 {
			w := s.guests[1].World()
			points, mark := ecs.ComponentID[life](w), ecs.ComponentID[marked](w)
			for q := w.Query(ecs.All(points, mark, ecs.ComponentID[components.Remote](w))); q.Next(); {
				(*life)(q.Get(points)).Points = 99
			}
		}
		return check()
	}
}

// The report of a failing random world is a script that fails in the same way when read from a
// file, and contains only the commands that the failure needs.
func TestAFailureIsPrintedAsAScriptThatFails(t *testing.T) {
	steps := randomSteps(1)
	err := try(steps, meddling)
	require.ErrorContains(t, err, "netsim_test.life is 99, the server's is")
	sent := report(steps, err, 400, meddling)
	_, text, _ := strings.Cut(sent, "\n\n")
	path := filepath.Join(t.TempDir(), "script.txt")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	for _, again := range []string{"", " again"} {
		failure := netsim.Try("printed"+again, func(t *netsim.Trial) {
			script.Check(t, path, randomVerbs(t, meddling), false)
		})
		require.Error(t, failure)
		assert.Equal(t, kindOf(err), kindOf(failure))
		assert.Contains(t, text, headline(failure), "the comment tells what it fails with")
	}
	parsed, err := script.Parse("printed", text)
	require.NoError(t, err)
	assert.LessOrEqual(t, parsed.Commands(), 8, text)
	assert.Contains(t, text, "marked")
	script.Check(t, path, randomVerbs(t), false)
}

// A failure that one end reports in a script is reported with its line, and has the same kind as
// the same failure at another end or time.
func TestKindsOfFailuresLeaveOutNumbers(t *testing.T) {
	err := try([]string{"world 7 30", "connect 1", "spawn a life Replicate", "settle", "sleep"})
	require.ErrorContains(t, err, "netsim: steps:5: sleep: no such verb")
	kind := kindOf(err)
	err = netsim.Try("t", func(t *netsim.Trial) { require.Failf(t, "they differ", "%d apples", 3) })
	assert.Equal(t, "they differ: # apples", kindOf(err))
	assert.True(t, strings.HasPrefix(kind, "no such verb"), kind)
	assert.Equal(t, kind, kindOf(try([]string{"world 8 20", "sleep 30"})))
	assert.ErrorContains(t, try([]string{"world 0 0"}), "give a seed above 0")
	assert.ErrorContains(t, try([]string{"world 1 0", "tick 1 sleep", "run 1s"}), "sleep: no such verb")
	assert.ErrorContains(t, try([]string{"world 1 0", "tick 0 cut"}), "give a number of ticks from 1 and a command")
}
