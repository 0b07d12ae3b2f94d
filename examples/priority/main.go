package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/charmbracelet/x/term"

	"github.com/entangle-ecs/entangle/transport/token"
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch {
	case s.Mode == modeKey:
		_, err = fmt.Fprintln(stdout, token.NewKey().Hex())
	case !s.Headless && isTerminal(os.Stdin) && isTerminal(stdout):
		err = show(ctx, s)
	default:
		err = headless(ctx, s, stdout, stderr)
	}
	if err != nil {
		return complain(stderr, err, exitFail)
	}
	return exitDone
}

func complain(stderr io.Writer, err error, code int) int {
	fmt.Fprintln(stderr, "priority:", err)
	return code
}

// headless plays, prints the result, and fails if that is not what was claimed. The
// table is for people and goes to stderr, the line of JSON for programs to stdout.
func headless(ctx context.Context, s settings, stdout, stderr io.Writer) error {
	if !s.Headless {
		fmt.Fprintln(stderr, "priority: no terminal to draw in, so this is a run with -headless; see -help")
		s.Headless = true
	}
	r, err := playHeadless(ctx, s, stderr)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(stdout).Encode(r); err != nil || s.Mode == modeServer {
		return err
	}
	if err := r.table(stderr); err != nil {
		return err
	}
	return r.verdict()
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}
