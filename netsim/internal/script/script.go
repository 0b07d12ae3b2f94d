package script

import (
	"bufio"
	"fmt"
	"strings"
	"unicode"
)

// Script is a test written as a list of commands, which begin at the start of a line. Below each
// command follows its expected trace, indented.
//
//	# Two clients join over a bad link.
//	connect 2
//	loss 20%
//	run 500ms
//	    500ms client 1 sees box
//	expect equal
//
// The first word of a command is its verb. Lines that begin with # and empty lines are preserved.
type Script struct {
	name  string
	parts []part
}

// part is a command with the trace below it, or a line between commands.
type part struct {
	line    int
	text    string
	command bool
	trace   []string
}

// MaxLine is the maximum length of a script line in bytes. Scripts are meant to be read.
const MaxLine = 1000

const traceIndent = "    "

// Verb runs one command of a script and writes its output to the trace. It reports errors by
// Args.Fail. An error is a mistake in the script, such as a missing argument, and ends it.
type Verb func(args *Args, trace *Trace)

// Verbs are the verbs of a script by name.
type Verbs map[string]Verb

// Trace collects the output of a command.
type Trace struct{ lines []string }

// Printf adds a line to the trace.
func (t *Trace) Printf(format string, values ...any) {
	for line := range strings.Lines(fmt.Sprintf(format, values...)) {
		t.lines = append(t.lines, strings.TrimSpace(line))
	}
}

// Parse parses a script. The name is used in error messages.
func Parse(name, text string) (*Script, error) {
	s := &Script{name: name}
	scanner := bufio.NewScanner(strings.NewReader(text))
	scanner.Buffer(make([]byte, 0, MaxLine), MaxLine)
	line := 0
	for scanner.Scan() {
		line++
		if err := s.addCommand(line, strings.TrimRightFunc(scanner.Text(), unicode.IsSpace)); err != nil {
			return nil, err
		}
	}
	if scanner.Err() != nil {
		return nil, fmt.Errorf("netsim: %s:%d: a line longer than %d bytes", name, line+1, MaxLine)
	}
	return s, nil
}

func (s *Script) addCommand(line int, text string) error {
	switch {
	case text == "" || strings.HasPrefix(text, "#"):
		s.parts = append(s.parts, part{line: line, text: text})
	case !strings.HasPrefix(text, " ") && !strings.HasPrefix(text, "\t"):
		s.parts = append(s.parts, part{line: line, text: text, command: true})
	case len(s.parts) == 0 || !s.parts[len(s.parts)-1].command:
		return fmt.Errorf("netsim: %s:%d: a trace stands right below its command", s.name, line)
	default:
		last := &s.parts[len(s.parts)-1]
		last.trace = append(last.trace, strings.TrimSpace(text))
	}
	return nil
}

// Commands returns how many commands the script has.
func (s *Script) Commands() int {
	n := 0
	for _, p := range s.parts {
		if p.command {
			n++
		}
	}
	return n
}

// String returns the script as text: the parsed text, with traces indented by four spaces.
func (s *Script) String() string {
	var b strings.Builder
	for _, p := range s.parts {
		b.WriteString(p.text + "\n")
		for _, line := range p.trace {
			b.WriteString(traceIndent + line + "\n")
		}
	}
	return b.String()
}

// Run runs the commands and returns the script with their actual traces. The caller compares it
// with the expected script.
func (s *Script) Run(verbs Verbs) (*Script, error) {
	ran := &Script{name: s.name}
	for _, p := range s.parts {
		if p.command {
			trace := &Trace{}
			if err := verbs.Do(p.text, trace); err != nil {
				return nil, fmt.Errorf("netsim: %s:%d: %s: %w", s.name, p.line, p.text, err)
			}
			p.trace = trace.lines
		}
		ran.parts = append(ran.parts, p)
	}
	return ran, nil
}

// Do runs one command. Verbs that run other commands call it.
func (v Verbs) Do(command string, trace *Trace) error {
	words := strings.Fields(command)
	if len(words) == 0 {
		return ErrMissing
	}
	verb, ok := v[words[0]]
	if !ok {
		return fmt.Errorf("no such verb; there are %s", v.names())
	}
	args := &Args{words: words[1:]}
	verb(args, trace)
	if len(args.words) > 0 {
		args.Fail(fmt.Errorf("nothing is done with %q", strings.Join(args.words, " ")))
	}
	return args.err
}
