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
// Proves: X5
func TestTheProgramPrintsWhatWasHit(t *testing.T) {
	r, says, code := programtest.Run[result](t, "-headless", "-seconds", "5", "-loss", "0.05", "-clients", "4")
	assert.Zero(t, code, says)
	assert.Equal(t, "shooter", r.Example)
	assert.InDelta(t, 5, r.Seconds, 1e-9)
	require.Len(t, r.Clients, 4)
	for _, c := range r.Clients {
		assert.Positive(t, c.Aimed)
	}
	lines := strings.Split(strings.TrimSpace(says), "\n")
	require.Len(t, lines, 5)
	assert.Contains(t, lines[0], "with compensation  without  bullets  twice  back  rollbacks")
}

// Without lag compensation the program exits with 1, and says why.
func TestTheProgramFailsWithoutCompensation(t *testing.T) {
	r, says, code := programtest.Run[result](t, "-headless", "-seconds", "5", "-compensate=false")
	assert.Equal(t, program.Failed, code)
	assert.False(t, r.Compensate)
	assert.Contains(t, says, "hit what they were aimed at")
}

// A server and two clients run in processes of their own, and what the players aim at is what they hit.
//
// Proves: X10
func TestServerAndClientsRunInSeparateProcesses(t *testing.T) {
	key := strings.Repeat("5a", 32)
	server := programtest.Command(t, "-mode", stage.Server, "-headless", "-addr", "127.0.0.1:0", "-key", key)
	stderr, err := server.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	line, err := bufio.NewReader(stderr).ReadString('\n')
	require.NoError(t, err)
	_, addr, found := strings.Cut(strings.TrimSpace(line), "listens at ")
	require.True(t, found, line)

	client := []string{"-mode", stage.Client, "-headless", "-addr", addr, "-key", key, "-latency", "5ms", "-seconds"}
	other := programtest.Command(t, append(client, "60")...)
	require.NoError(t, other.Start())
	r, says, _ := programtest.Run[result](t, append(client, "3")...) // the machine may be too slow for the claim
	require.Len(t, r.Clients, 1, says)
	assert.Positive(t, r.Clients[0].Aimed, "it sees the other player, and the server judges its shots")
	require.NoError(t, other.Process.Kill())
	require.NoError(t, server.Process.Kill())
	_, _ = other.Wait(), server.Wait() // return an error, because the processes were killed
}

// Without a terminal the program does not draw, and takes its options from a file.
//
// Proves: X10
func TestOptionsComeFromAFile(t *testing.T) {
	file := programtest.Write(t, `{"seconds": 2, "clients": 4, "latency": "5ms", "compensate": false}`)
	r, says, _ := programtest.Run[result](t, "-settings", file, "-clients", "3")
	assert.Len(t, r.Clients, 3, "flags take precedence over the file")
	assert.False(t, r.Compensate)
	assert.InDelta(t, 5, r.LatencyMS, 1e-9)
	assert.Contains(t, says, "no terminal to draw in")
}

func TestWrongOptionsAreMisuse(t *testing.T) {
	cmd := programtest.Command(t, "-clients", "9")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	assert.Equal(t, program.Misused, cmd.ProcessState.ExitCode())
	assert.Contains(t, string(out), "clients is 9; it can be 2 to 4")
}
