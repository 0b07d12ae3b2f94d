package program

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

// Read reads the options from flags, and the remaining ones from the file that the flags name.
func (p *Program[S]) Read(args []string, output io.Writer) (s S, err error) {
	var file string
	set := p.Flags(&s, output)
	if p.File {
		set.StringVar(&file, "settings", "", "a `file` of JSON with the same options; flags take precedence")
	}
	if err := set.Parse(args); err != nil {
		return s, err
	}
	if set.NArg() > 0 {
		return s, fmt.Errorf("%q is no option: options begin with a dash, -help lists them", set.Arg(0))
	}
	if file != "" {
		if err := readFile(file, &s); err != nil {
			return s, fmt.Errorf("-settings: %w", err)
		}
		if err := set.Parse(args); err != nil { // again, so that flags take precedence over the file
			return s, err
		}
	}
	return s, p.Check(&s)
}

// Flags returns the flags of the options, bound to s.
func (p *Program[S]) Flags(s *S, output io.Writer) *flag.FlagSet {
	set := flag.NewFlagSet(p.Name, flag.ContinueOnError)
	set.SetOutput(output)
	p.Bind(s, set)
	return set
}

func readFile(name string, into any) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Span is a duration that is written like 80ms, in flags and in a file.
type Span time.Duration

// MarshalText writes the duration in the syntax of Go.
func (s Span) MarshalText() ([]byte, error) { return []byte(time.Duration(s).String()), nil }

// UnmarshalText parses what MarshalText returns.
func (s *Span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil {
		return errors.New("write a duration such as 80ms or 1.5s")
	}
	*s = Span(d)
	return nil
}
