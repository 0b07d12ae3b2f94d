package main

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/examples/internal/program"
	"github.com/entangle-ecs/entangle/examples/internal/programtest"
	"github.com/entangle-ecs/entangle/examples/internal/stage"
)

func TestMain(m *testing.M) { programtest.Main(m, main) }

// The program finds that every row has the expected share, and exits with 0.
//
// Proves: X7
func TestTheProgramShowsTheShareOfEachRow(t *testing.T) {
	r, says, code := programtest.Run[result](t, "-headless", "-seconds", "5")
	assert.Zero(t, code, says)
	assert.Equal(t, "priority", r.Example)
	assert.InDelta(t, 5, r.Seconds, 0.01)
	require.Len(t, r.Rows, rowCount)
	lines := strings.Split(strings.TrimSpace(says), "\n")
	require.Len(t, lines, rowCount+1)
	assert.Contains(t, lines[0], "share  expected  mean age  oldest")
	assert.Contains(t, lines[7], "25.0 %")
}

// A claim that does not hold fails the run with an error.
func TestABrokenBoundFailsTheRun(t *testing.T) {
	_, says, code := programtest.Run[result](t, "-headless", "-seconds", "3", "-within", "1", "-cap", "16000", "-dots", "160")
	assert.Equal(t, program.Failed, code)
	assert.Contains(t, says, "dots of row 1 waited for longer than 1 ticks")
}

// Without a terminal the program does not draw, even without a flag, and it takes its options from a file.
//
// Proves: X10
func TestOptionsComeFromAFileAndNothingIsDrawnWithoutATerminal(t *testing.T) {
	file := programtest.Write(t, `{"seconds": 3, "dots": 60, "cap": 30000, "latency": "5ms"}`)
	r, says, code := programtest.Run[result](t, "-settings", file, "-cap", "25000")
	assert.Zero(t, code, says)
	assert.Equal(t, Rules{Dots: 60, Cap: 25_000}, r.Rules, "flags take precedence over the file")
	assert.Contains(t, says, "no terminal to draw in")
}

// A server and a client run in separate processes, and the client gets its rules from the server.
//
// Proves: X10
func TestServerAndClientRunInSeparateProcesses(t *testing.T) {
	key := strings.Repeat("5a", 32)
	server := programtest.Command(t, "-mode", stage.Server, "-headless", "-addr", "127.0.0.1:0", "-key", key, "-dots", "50", "-cap", "22000", "-within", "300")
	stderr, err := server.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	line, err := bufio.NewReader(stderr).ReadString('\n')
	require.NoError(t, err)
	_, addr, found := strings.Cut(strings.TrimSpace(line), "listens at ")
	require.True(t, found, line)

	client, says, _ := programtest.Run[result](t, "-mode", stage.Client, "-headless", "-addr", addr, "-key", key, "-latency", "0s", "-seconds", "1")
	assert.Equal(t, Rules{Dots: 50, Cap: 22_000, Within: 300}, client.Rules)
	require.Len(t, client.Rows, rowCount, says)
	for _, row := range client.Rows {
		assert.NotZero(t, row.PerDot)
	}
	require.NoError(t, server.Process.Kill())
	_ = server.Wait() // returns an error, because the process was killed
}

func TestWrongOptionsSayWhatToWrite(t *testing.T) {
	for says, args := range map[string][]string{
		"it can be all, server, client or key":   {"-mode", "both"},
		"dots is 161; it can be 1 to 160":        {"-dots", "161"},
		"cap is 15999; it can be 16000 to":       {"-cap", "15999"},
		"within is -1; it can be 1 to 600 ticks": {"-within", "-1"},
		"loss is NaN; it can be 0 to 1":          {"-loss", "NaN"},
		"latency can't be below zero":            {"-latency", "-1ms"},
		"write a duration such as 80ms":          {"-latency", "80"},
		"seconds is -1":                          {"-seconds", "-1"},
		"64 hexadecimal digits":                  {"-key", "secret"},
		`"extra" is no option`:                   {"extra"},
		`unknown field "dotz"`:                   {"-settings", programtest.Write(t, `{"dotz": 3}`)},
		"no such file":                           {"-settings", t.TempDir() + "/none.json"},
	} {
		var stderr bytes.Buffer
		assert.Equal(t, program.Misused, example.Main(args, program.Streams{Out: &bytes.Buffer{}, Err: &stderr}))
		assert.Contains(t, stderr.String(), says)
	}
	assert.Equal(t, program.Done, example.Main([]string{"-help"}, program.Streams{Err: &bytes.Buffer{}}))
	var key bytes.Buffer
	assert.Equal(t, program.Done, example.Main([]string{"-mode", stage.Key}, program.Streams{Out: &key}))
	assert.Len(t, strings.TrimSpace(key.String()), 64)
}

func TestWhatCantBePlayedFailsTheRun(t *testing.T) {
	for says, args := range map[string][]string{
		"write a host and a port, such as 127.0.0.1:40000": {"-headless", "-mode", stage.Client, "-addr", "nowhere"},
		"the client is disconnected":                       {"-headless", "-loss", "1"},
		"Key":                                              {"-headless", "-mode", stage.Server, "-addr", "0.0.0.0:0"},
	} {
		var stderr bytes.Buffer
		assert.Equal(t, program.Failed, example.Main(args, program.Streams{Out: &bytes.Buffer{}, Err: &stderr}))
		assert.Contains(t, stderr.String(), says)
	}
}
