package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/charmbracelet/x/term"
)

// What the program exits with.
const (
	exitDone  = 0
	exitFail  = 1 // also when the example does not show what it claims
	exitUsage = 2
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is the program.
func run(args []string, stdout, stderr io.Writer) int {
	s, err := readSettings(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitDone
	}
	if err != nil {
		return complain(stderr, err, exitUsage)
	}
	if !s.headless && isTerminal(os.Stdin) && isTerminal(stdout) {
		err = show(s)
	} else {
		err = headless(s, stdout, stderr)
	}
	if err != nil {
		return complain(stderr, err, exitFail)
	}
	return exitDone
}

func complain(stderr io.Writer, err error, code int) int {
	fmt.Fprintln(stderr, "interest:", err)
	return code
}

// headless plays, prints the result, and fails if that is not what was claimed.
func headless(s settings, stdout, stderr io.Writer) error {
	if !s.headless {
		fmt.Fprintln(stderr, "interest: no terminal to draw in, so this is a run with -headless; see -help")
	}
	r, err := playHeadless(s)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(stdout).Encode(r); err != nil {
		return err
	}
	return r.verdict()
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}
