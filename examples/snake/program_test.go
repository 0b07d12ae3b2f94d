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

// A torn snake fails the run with an error.
func TestATornSnakeFailsTheRun(t *testing.T) {
	r, says, code := runHeadless(t, "-seconds", "3", "-apart", "-segments", "12")
	assert.Equal(t, program.Failed, code)
	assert.Contains(t, says, "snake: the snake with a group was torn in")
	assert.Equal(t, 12, r.Segments)
	assert.NotZero(t, r.GroupedTorn)
}

// A run in which the client showed no snake fails.
func TestARunThatShowsNothingFails(t *testing.T) {
	_, says, code := runHeadless(t, "-seconds", "1", "-loss", "1")
	assert.Equal(t, program.Failed, code)
	assert.Contains(t, says, "no snake has arrived: give it more -seconds or less -loss")
	_, says, code = runHeadless(t, "-seconds", "1", "-loss", "0")
	assert.Equal(t, program.Failed, code)
	assert.Contains(t, says, "give it more -seconds or more -loss")
}

func TestWrongOptionsSayWhatToWrite(t *testing.T) {
	for says, args := range map[string][]string{
		"segments is 1; it can be 2 to 48": {"-segments", "1"},
		"loss is NaN; it can be 0 to 1":    {"-loss", "NaN"},
		"can't be below zero":              {"-jitter", "-1ms"},
		"seconds is -1":                    {"-seconds", "-1"},
		`"extra" is no option`:             {"extra"},
	} {
		var stderr bytes.Buffer
		assert.Equal(t, program.Misused, example.Main(args, program.Streams{Err: &stderr}))
		assert.Contains(t, stderr.String(), says)
	}
	assert.Equal(t, program.Done, example.Main([]string{"-help"}, program.Streams{Err: &bytes.Buffer{}}))
}
