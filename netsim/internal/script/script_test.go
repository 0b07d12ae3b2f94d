package script

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const counting = `# Counts.
add 2

add 3
    2 3
    sum 5
`

// adder returns verbs that keep state between commands.
func adder() Verbs {
	var sum []int
	return Verbs{"add": func(args *Args, trace *Trace) {
		n := args.Int()
		if args.Err() != nil {
			return
		}
		sum = append(sum, n)
		if len(sum) == 2 {
			trace.Printf("%d %d\nsum %d", sum[0], sum[1], sum[0]+sum[1])
		}
	}}
}

func TestScriptLeavesItsTrace(t *testing.T) {
	script, err := Parse("counting", counting)
	require.NoError(t, err)
	assert.Equal(t, 2, script.Commands())
	ran, err := script.Run(adder())
	require.NoError(t, err)
	assert.Equal(t, counting, ran.String())
}

func TestScriptThatTellsOtherwiseDiffers(t *testing.T) {
	script, err := Parse("counting", strings.Replace(counting, "sum 5", "sum 6", 1))
	require.NoError(t, err)
	ran, err := script.Run(adder())
	require.NoError(t, err)
	assert.NotEqual(t, script.String(), ran.String())
	assert.Equal(t, counting, ran.String())
}

func TestMistakesOfAScriptNameTheirLine(t *testing.T) {
	for text, want := range map[string]string{
		"add 1\nsub 1":                 "netsim: s:2: sub 1: no such verb; there are add",
		"add":                          "netsim: s:1: add: an argument is missing",
		"add x":                        `netsim: s:1: add x: "x" is no number of 0 or above`,
		"add 1 2":                      `netsim: s:1: add 1 2: nothing is done with "2"`,
		"\n    trace":                  "netsim: s:2: a trace stands right below its command",
		"add 1\n\n  sum":               "netsim: s:3: a trace stands right below its command",
		strings.Repeat("x", MaxLine+1): "netsim: s:1: a line longer than 1000 bytes",
	} {
		script, err := Parse("s", text)
		if err == nil {
			_, err = script.Run(adder())
		}
		assert.EqualError(t, err, want)
	}
}

func TestScriptIsReadAsItIsWritten(t *testing.T) {
	line := rapid.SampledFrom([]string{"", "# note", "run 1s", "run 1s\n    a\n    b", "expect equal"})
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		for _, l := range rapid.SliceOf(line).Draw(t, "lines") {
			text.WriteString(l + "\n")
		}
		script, err := Parse("s", text.String())
		if err != nil {
			t.Fatal(err)
		}
		if got := script.String(); got != text.String() {
			t.Fatalf("%q became %q", text.String(), got)
		}
	})
}

func FuzzParseScript(f *testing.F) {
	f.Add(counting)
	f.Add("    x")
	f.Fuzz(func(t *testing.T, text string) {
		script, err := Parse("s", text)
		if err != nil {
			return
		}
		again, err := Parse("s", script.String())
		require.NoError(t, err)
		assert.Equal(t, script.String(), again.String())
	})
}
