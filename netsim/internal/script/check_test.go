package script

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// failing records the messages of a failing test.
type failing struct{ message string }

func (f *failing) Helper() {}
func (f *failing) Fatalf(format string, values ...any) {
	f.message = fmt.Sprintf(format, values...)
}

func TestCheckScriptShowsTheDifferenceAndUpdates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.txt")
	write(t, path, "add 2\nadd 3\n    2 3\n    sum 6\n")
	f := &failing{}
	Check(f, path, adder(), false)
	assert.Equal(t, "netsim: "+path+" left other traces than it tells\n"+
		"  add 3\n-     2 3\n-     sum 6\n+     2 3\n+     sum 5\n", f.message)

	f = &failing{}
	Check(f, path, adder(), true)
	Check(f, path, adder(), false)
	assert.Empty(t, f.message)

	Check(f, path+".none", adder(), false)
	assert.Contains(t, f.message, "no such file")
	write(t, path, "sub")
	Check(f, path, adder(), false)
	assert.Contains(t, f.message, "no such verb")
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}
