package program_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/examples/internal/program"
)

type options struct {
	Wait  program.Span `json:"wait"`
	Count int          `json:"count"`
}

var errNegative = errors.New("count can't be below zero")

// counter is a program that fails with the given error.
func counter(fails error) *program.Program[options] {
	return &program.Program[options]{
		Name: "counter", File: true,
		Bind: func(o *options, set *flag.FlagSet) {
			set.TextVar(&o.Wait, "wait", program.Span(time.Second), "how long")
			set.IntVar(&o.Count, "count", 3, "how many")
		},
		Check: func(o *options) error {
			if o.Count < 0 {
				return errNegative
			}
			return nil
		},
		Run: func(context.Context, options, program.Streams) error { return fails },
	}
}

func TestAnErrorIsPrintedWithTheProgramsName(t *testing.T) {
	failed := errors.New("it fell over")
	for _, c := range []struct {
		fails error
		args  []string
		code  int
		says  string
	}{
		{nil, nil, program.Done, ""},
		{failed, nil, program.Failed, "counter: it fell over\n"},
		{program.Bare(failed), nil, program.Failed, "it fell over\n"},
		{nil, []string{"-count", "-1"}, program.Misused, "counter: count can't be below zero\n"},
		{nil, []string{"up"}, program.Misused, "counter: \"up\" is no option: options begin with a dash, -help lists them\n"},
	} {
		var stderr bytes.Buffer
		assert.Equal(t, c.code, counter(c.fails).Main(c.args, program.Streams{Err: &stderr}))
		assert.Equal(t, c.says, stderr.String())
	}
}

func TestFlagsOverrideTheFileAndDefaults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "options.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"wait": "2s", "count": 7}`), 0o600))
	o, err := counter(nil).Read([]string{"-settings", file, "-count", "8"}, t.Output())
	require.NoError(t, err)
	assert.Equal(t, options{Wait: program.Span(2 * time.Second), Count: 8}, o)
	require.NoError(t, os.WriteFile(file, []byte(`{"cuont": 7}`), 0o600))
	_, err = counter(nil).Read([]string{"-settings", file}, t.Output())
	assert.ErrorContains(t, err, `unknown field "cuont"`)
}

func TestWithoutATerminalTheProgramSaysSo(t *testing.T) {
	var stderr bytes.Buffer
	assert.False(t, program.Streams{In: &stderr, Out: &stderr, Err: &stderr}.Terminal())
	assert.Contains(t, stderr.String(), "no terminal to draw in, so this is a run with -headless")
}
