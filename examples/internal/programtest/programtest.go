// Package programtest runs an example as a program, from the example's own tests. The test binary
// starts itself as a process, and that process acts as the program.
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

// asProgram makes the test's own binary act as the program, for itself and for the processes that the program
// starts.
const asProgram = "ENTANGLE_TEST_RUNS_THE_PROGRAM"

// limit is the timeout of a program, far longer than any run.
const limit = 2 * time.Minute

// Main is a TestMain: it runs the tests and checks for leaked goroutines, or acts as the program.
func Main(m *testing.M, main func()) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// Command returns a process of the program that is not started yet.
func Command(t *testing.T, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// Run runs the program to its end, and returns its result (a line of JSON), its standard error, and its exit code.
func Run[R any](t *testing.T, args ...string) (r R, says string, code int) {
	var stdout, stderr bytes.Buffer
	cmd := Command(t, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // the test checks the exit code
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &r), "stdout: %s\nstderr: %s", &stdout, &stderr)
	return r, stderr.String(), cmd.ProcessState.ExitCode()
}

// Inherit makes all processes that the test starts act as the program.
func Inherit(t *testing.T) { t.Setenv(asProgram, "1") }

// Write writes a temporary file.
func Write(t *testing.T, text string) (name string) {
	name = filepath.Join(t.TempDir(), "settings.json")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}
