package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/entangle-ecs/entangle/examples/internal/program"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// runHeadless runs the program without a terminal.
func runHeadless(t *testing.T, args ...string) (r result, says string, code int) {
	var stdout, stderr bytes.Buffer
	code = example.Main(append([]string{"-headless"}, args...), program.Streams{Out: &stdout, Err: &stderr})
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &r), "stdout: %s\nstderr: %s", &stdout, &stderr)
	return r, stderr.String(), code
}

// Every client has every shot in its tick and computes the same of it as the server, whether the shot
// arrives before that tick or after it, on good lines and bad ones, and with any delay. What the server
// refuses goes from A's world.
//
// Proves: X9
func TestAShotIsTheSameEverywhere(t *testing.T) {
	for _, args := range [][]string{
		nil,
		{"-loss", "0.1", "-jitter", "10ms", "-seed", "5"},
		{"-delay", "0"},
		{"-delay", "30", "-latency", "20ms"},
	} {
		r, says, code := runHeadless(t, append([]string{"-seconds", "12"}, args...)...)
		require.Equal(t, program.Done, code, "%v: %s", args, says)
		assert.Greater(t, r.Shots, uint64(8))
		assert.NotZero(t, r.Misfires)
		if args != nil {
			continue
		}
		a, c, d := r.Clients[0], r.Clients[2], r.Clients[3]
		assert.Zero(t, a.Late+c.Late)
		assert.Zero(t, a.Rollbacks+c.Rollbacks, "they have it before its tick")
		assert.Zero(t, d.Early)
		assert.NotZero(t, d.Rollbacks)
	}
}

// A run that shows nothing fails, and one in which a client computed something else.
func TestTheVerdict(t *testing.T) {
	_, says, code := runHeadless(t, "-seconds", "2")
	assert.Equal(t, program.Failed, code)
	assert.Contains(t, says, "no shot has flown: give it more -seconds")
	r, _, _ := runHeadless(t, "-seconds", "12")
	require.NoError(t, r.Verdict())
	r.Clients[1].Differing = 3
	assert.ErrorContains(t, r.Verdict(), "client B, just in time: 3 of")
	r.Clients[1].Differing, r.Misfires = 0, 0
	assert.ErrorContains(t, r.Verdict(), "client A removed 0 shots")
}

// A diary that differs from the server's is noticed: a shot that is missing, one that is too much, and one
// with another value.
func TestADiaryIsCompared(t *testing.T) {
	server, d := newDiary(), newDiary()
	server.pages[7] = page{5: {Flight{10}, Fuse{2}}, 6: {Flight{11}, Fuse{3}}}
	d.pages[7] = page{5: {Flight{10}, Fuse{2}}, 6: {Flight{11}, Fuse{3}}}
	d.compare(server, 7)
	assert.Equal(t, []int{2, 0}, []int{d.compared, d.differing})
	d.pages[7] = page{5: {Flight{10}, Fuse{9}}, 8: {}}
	d.compare(server, 7)
	assert.Equal(t, []int{4, 3}, []int{d.compared, d.differing})
}

func TestWrongOptionsSayWhatToWrite(t *testing.T) {
	for says, args := range map[string][]string{
		"delay is 99; it can be 0 to": {"-delay", "99"},
		"loss is NaN; it can be 0 to": {"-loss", "NaN"},
		"seconds is -1":               {"-seconds", "-1"},
		`"extra" is no option`:        {"extra"},
	} {
		var stderr bytes.Buffer
		assert.Equal(t, program.Misused, example.Main(args, program.Streams{Err: &stderr}))
		assert.Contains(t, stderr.String(), says)
	}
	assert.Equal(t, program.Done, example.Main([]string{"-help"}, program.Streams{Err: &bytes.Buffer{}}))
}
