package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/examples/internal/program"
)

// runHeadless runs the program without a terminal.
func runHeadless(t *testing.T, args ...string) (r result, says string, code int) {
	var stdout, stderr bytes.Buffer
	code = example.Main(append([]string{"-headless"}, args...), program.Streams{Out: &stdout, Err: &stderr})
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &r), "stdout: %s\nstderr: %s", &stdout, &stderr)
	return r, stderr.String(), code
}

// The program finds no wrong visibility, and exits with 0.
//
// Proves: X3
func TestTheProgramJudgesWhatClientsHold(t *testing.T) {
	r, says, code := runHeadless(t, "-seconds", "5")
	assert.Equal(t, program.Done, code, says)
	assert.Equal(t, "interest", r.Example)
	assert.InDelta(t, 5, r.Seconds, 0.01)
	assert.Len(t, r.Clients, players)
}

// A leak fails the run, and the program names the client.
func TestALeakFailsTheRun(t *testing.T) {
	_, says, code := runHeadless(t, "-seconds", "2", "-leak")
	assert.Equal(t, program.Failed, code)
	assert.Contains(t, says, "interest: client 1 held a thing")
	_, says, code = runHeadless(t, "-seconds", "0.01")
	assert.Equal(t, program.Failed, code)
	assert.Contains(t, says, "nothing has come to client 1: give it more -seconds")
}

func TestWrongOptionsSayWhatToWrite(t *testing.T) {
	for says, args := range map[string][]string{
		"dots is 0; it can be 1 to 500":   {"-dots", "0"},
		"loss is NaN; it can be 0 to 0.5": {"-loss", "NaN"},
		"latency can be 0 to 1s":          {"-latency", "-1ms"},
		"seconds is -1":                   {"-seconds", "-1"},
		`"extra" is no option`:            {"extra"},
	} {
		var stderr bytes.Buffer
		assert.Equal(t, program.Misused, example.Main(args, program.Streams{Err: &stderr}))
		assert.Contains(t, stderr.String(), says)
	}
	assert.Equal(t, program.Done, example.Main([]string{"-help"}, program.Streams{Err: &bytes.Buffer{}}))
}
