package script

import (
	"os"
	"strings"
)

// TB is the part of testing.TB that Check needs.
type TB interface {
	Helper()
	Fatalf(format string, values ...any)
}

// Check runs the script in a file and fails the test if the traces differ from those in the
// file. With update it writes the new traces to the file instead; review the difference before you
// keep it.
func Check(t TB, path string, verbs Verbs, update bool) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("netsim: %v", err)
		return
	}
	script, err := Parse(path, string(text))
	if err != nil {
		t.Fatalf("%v", err)
		return
	}
	ran, err := script.Run(verbs)
	switch {
	case err != nil:
		t.Fatalf("%v", err)
	case update:
		if err := os.WriteFile(path, []byte(ran.String()), 0o644); err != nil {
			t.Fatalf("netsim: %v", err)
		}
	case ran.String() != script.String():
		t.Fatalf("netsim: %s left other traces than it tells\n%s", path, difference(script, ran))
	}
}

// difference lists the commands with different traces, with the expected lines (-) and the actual
// lines (+).
func difference(want, got *Script) string {
	var b strings.Builder
	for i, w := range want.parts {
		g := got.parts[i]
		if strings.Join(w.trace, "\n") == strings.Join(g.trace, "\n") {
			continue
		}
		b.WriteString("  " + w.text + "\n")
		for _, line := range w.trace {
			b.WriteString("-     " + line + "\n")
		}
		for _, line := range g.trace {
			b.WriteString("+     " + line + "\n")
		}
	}
	return b.String()
}
