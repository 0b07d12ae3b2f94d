package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/examples/internal/program"
	"github.com/entangle-ecs/entangle/examples/internal/programtest"
	"github.com/entangle-ecs/entangle/examples/internal/stage"
	"github.com/entangle-ecs/entangle/plugin"
)

func TestMain(m *testing.M) { programtest.Main(m, main) }

// Three processes play over UDP on a bad line. In the end their worlds are equal, according to
// dumps that each process wrote.
//
// Proves: X1
func TestThreeProcessesEndWithEqualWorlds(t *testing.T) {
	r, _, code := programtest.Run[result](t, "-headless", "-seconds", "2", "-loss", "0.2", "-latency", "30ms", "-jitter", "10ms")
	assert.Zero(t, code)
	assert.True(t, r.WorldsEqual)
	assert.Equal(t, "simplebox", r.Example)
	assert.Equal(t, 2, r.Clients)
	assert.Equal(t, []string{r.HashServer, r.HashServer}, r.HashClients)
	assert.Equal(t, 1002, r.Entities)
	assert.NotZero(t, r.Ticks)
	assert.NotZero(t, r.BytesPerS)
	require.Len(t, r.Links, 2)
	for _, l := range r.Links {
		assert.Greater(t, l.RTT, 60.0, "the line's latency shows, both ways")
		assert.NotZero(t, l.Loss)
	}
}

// The program finds a single value that differs from the server's, and fails.
func TestASpoiledValueFailsTheRun(t *testing.T) {
	folder := t.TempDir()
	r, _, code := programtest.Run[result](t, "-headless", "-seconds", "0.2", "-dots", "20", "-spoil", "-dumps", folder)
	assert.Equal(t, program.Failed, code)
	assert.False(t, r.WorldsEqual)
	require.Len(t, r.HashClients, 2)
	assert.NotEqual(t, r.HashServer, r.HashClients[0])
	assert.Equal(t, r.HashServer, r.HashClients[1])
	server, err := os.ReadFile(dumpName(folder, 0))
	require.NoError(t, err)
	client, err := os.ReadFile(dumpName(folder, 1))
	require.NoError(t, err)
	assert.Len(t, difference(string(server), string(client)), 2, "one line, as either has it")
}

// Without a terminal the program does not draw, even without a flag, and it takes its options from a file.
//
// Proves: X10
func TestOptionsComeFromAFileAndNothingIsDrawnWithoutATerminal(t *testing.T) {
	file := programtest.Write(t, `{"seconds": 0.2, "dots": 5, "clients": 1, "latency": "5ms", "loss": 0.01}`)
	r, _, code := programtest.Run[result](t, "-settings", file, "-dots", "7")
	assert.Zero(t, code)
	assert.Equal(t, 1, r.Clients)
	assert.Equal(t, 8, r.Entities, "seven dots, since flags go before the file, and one box")
}

// A child process ends when its standard input ends, even if its parent has crashed.
func TestAProcessEndsWithItsStandardInput(t *testing.T) {
	cmd := programtest.Command(t, "-mode", stage.Server, "-pipe")
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	s := settings{Sides: stage.Sides{Mode: stage.Server, Addr: "127.0.0.1:0"}, Dots: 3, Clients: 1}
	require.NoError(t, json.NewEncoder(stdin).Encode(order{Settings: &s}))
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	require.NoError(t, err)
	var r report
	require.NoError(t, json.Unmarshal(line, &r))
	assert.Equal(t, plugin.Started.String(), r.State)
	require.NoError(t, stdin.Close())
	assert.NoError(t, cmd.Wait())
}

// When a process ends, its last output is reported, and no process is left running.
func TestTheReasonOfAnEndedProcessIsReported(t *testing.T) {
	programtest.Inherit(t)
	taken, err := net.ListenPacket("udp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	s, err := example.Read([]string{"-addr", taken.LocalAddr().String()}, &bytes.Buffer{})
	require.NoError(t, err)
	_, err = startAll(context.Background(), s)
	assert.ErrorContains(t, err, "is taken: end what listens there, or choose another with -addr")
}

// A client that is refused ends the run with the reason.
func TestALoneClientWithoutAServerFails(t *testing.T) {
	s, err := example.Read([]string{"-mode", stage.Client, "-addr", "127.0.0.1:1"}, &bytes.Buffer{})
	require.NoError(t, err)
	_, err = playLone(context.Background(), s, func(string) {})
	assert.ErrorContains(t, err, "disconnected")
}
