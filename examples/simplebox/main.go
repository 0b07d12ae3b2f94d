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
	exitFail  = 1 // also when the worlds differ
	exitUsage = 2
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the program.
func run(args []string, stdin io.Reader, stdout *os.File, stderr io.Writer) int {
	s, err := readSettings(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitDone
	case err != nil:
		fmt.Fprintln(stderr, "simplebox:", err)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code, err := dispatch(ctx, s, stdin, stdout, stderr)
	if err != nil && ctx.Err() == nil { // else it was told to end
		fmt.Fprintln(stderr, message(s, err))
		return exitFail
	}
	return code
}

// message is an error as it is printed. A process on a pipe leaves the program's
// name to the one that leads it.
func message(s settings, err error) string {
	if s.pipe {
		return err.Error()
	}
	return "simplebox: " + err.Error()
}

// dispatch does what the settings say.
func dispatch(ctx context.Context, s settings, stdin io.Reader, stdout *os.File, stderr io.Writer) (int, error) {
	switch {
	case s.Mode == modeKey:
		fmt.Fprintln(stdout, token.NewKey().Hex())
		return exitDone, nil
	case s.pipe:
		signal.Ignore(os.Interrupt) // Ctrl-C is for the process that leads
		return exitDone, runPiped(ctx, stdin, stdout)
	case !s.Headless && isTerminal(stdin) && isTerminal(stdout):
		return exitDone, show(ctx, s)
	}
	if !s.Headless {
		fmt.Fprintln(stderr, "simplebox: no terminal to draw in, so this is a run with -headless; see -help")
	}
	if s.Mode == modeAll {
		return headless(ctx, s, stdout)
	}
	r, err := playLone(ctx, s, func(addr string) { fmt.Fprintln(stderr, "simplebox: the server listens at", addr) })
	if err != nil {
		return exitFail, err
	}
	return exitDone, json.NewEncoder(stdout).Encode(r)
}

// headless plays, prints the result, and fails if the worlds differ.
func headless(ctx context.Context, s settings, stdout io.Writer) (int, error) {
	if s.Seconds == 0 {
		s.Seconds = defaultSeconds
	}
	r, err := playHeadless(ctx, s)
	if err != nil {
		return exitFail, err
	}
	if err := json.NewEncoder(stdout).Encode(r); err != nil || !r.WorldsEqual {
		return exitFail, err
	}
	return exitDone, nil
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}
