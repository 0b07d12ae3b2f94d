package main

import (
	"bufio"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/examples/internal/program"
	"github.com/entangle-ecs/entangle/examples/internal/programtest"
	"github.com/entangle-ecs/entangle/examples/internal/stage"
)

func TestMain(m *testing.M) { programtest.Main(m, main) }

// The program plays, prints the result, and exits with 0.
//
// Proves: X6
func TestTheProgramPrintsTheResultsOfPredictions(t *testing.T) {
	r, says, code := programtest.Run[result](t, "-headless", "-seconds", "4")
	assert.Zero(t, code, says)
	assert.Equal(t, "physics", r.Example)
	assert.True(t, r.WorldsEqual)
	require.Len(t, r.Clients, 2)
	lines := strings.Split(strings.TrimSpace(says), "\n")
	require.Len(t, lines, 3)
	assert.Contains(t, lines[0], "rollbacks  ticks replayed  deepest  lead  late inputs")
}

// A server and a client run in processes of their own.
//
// Proves: X10
func TestServerAndClientRunInSeparateProcesses(t *testing.T) {
	key := strings.Repeat("5a", 32)
	server := programtest.Command(t, "-mode", stage.Server, "-headless", "-addr", "127.0.0.1:0", "-key", key)
	stderr, err := server.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	line, err := bufio.NewReader(stderr).ReadString('\n')
	require.NoError(t, err)
	_, addr, found := strings.Cut(strings.TrimSpace(line), "listens at ")
	require.True(t, found, line)

	client, says, code := programtest.Run[result](t, "-mode", stage.Client, "-headless", "-addr", addr, "-key", key, "-seconds", "2")
	assert.Zero(t, code, says)
	require.Len(t, client.Clients, 1, says)
	assert.Positive(t, client.Clients[0].Lead)
	require.NoError(t, server.Process.Kill())
	_ = server.Wait() // returns an error, because the process was killed
}

// Without a terminal the program does not draw, and takes its options from a file.
//
// Proves: X10
func TestOptionsComeFromAFile(t *testing.T) {
	file := programtest.Write(t, `{"seconds": 1, "delay": 3, "latency": "5ms", "predict": false}`)
	r, says, code := programtest.Run[result](t, "-settings", file, "-delay", "4")
	assert.Zero(t, code, says)
	assert.Equal(t, 4, r.Delay, "flags take precedence over the file")
	assert.False(t, r.Predict)
	assert.Contains(t, says, "no terminal to draw in")
}

func TestWrongOptionsAreMisuse(t *testing.T) {
	cmd := programtest.Command(t, "-delay", "99")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	assert.Equal(t, program.Misused, cmd.ProcessState.ExitCode())
	assert.Contains(t, string(out), "delay is 99 ticks; it can be 0 to 48")
}
