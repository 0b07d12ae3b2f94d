// Package programtest runs an example as the program that it is, from its own tests: in
// processes, for which the test's binary is the program.
package programtest

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// asProgram makes the test's own binary the program, for itself and for the processes that
// the program starts.
const asProgram = "ENTANGLE_TEST_RUNS_THE_PROGRAM"

// limit ends a program that hangs, long after any that does not.
const limit = 2 * time.Minute

// Main is a TestMain: it runs the tests and looks for goroutines that they leave, or is the
// program.
func Main(m *testing.M, main func()) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// Command returns the program as a process that is not started.
func Command(t *testing.T, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// Run runs the program to its end, and returns the line of JSON that it prints, what it
// says to people, and what it exits with.
func Run[R any](t *testing.T, args ...string) (r R, says string, code int) {
	var stdout, stderr bytes.Buffer
	cmd := Command(t, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // what it exits with is the matter of the test
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &r), "stdout: %s\nstderr: %s", &stdout, &stderr)
	return r, stderr.String(), cmd.ProcessState.ExitCode()
}

// Inherit makes the processes that the test starts, in whatever way, the program.
func Inherit(t *testing.T) { t.Setenv(asProgram, "1") }

// Write makes a file of the test's own.
func Write(t *testing.T, text string) (name string) {
	name = filepath.Join(t.TempDir(), "settings.json")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}
