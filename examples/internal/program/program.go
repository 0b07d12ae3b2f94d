// Package program makes programs of the examples: it reads options from flags or from a file,
// returns exit codes, and checks for a terminal. It has nothing to do with networking.
package program

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/charmbracelet/x/term"
)

// Exit codes.
const (
	Done    = 0
	Failed  = 1 // also if the claim of an example does not hold
	Misused = 2
)

// Program is an example with options of the type S.
type Program[S any] struct {
	Name string
	// Bind binds every option to a flag, with a default.
	Bind func(s *S, set *flag.FlagSet)
	// Check returns an error that names an invalid option and its valid values.
	Check func(s *S) error
	// File allows options to be read from a JSON file, too, with the names of the flags.
	File bool
	// Run runs the program with the options, until ctx is cancelled.
	Run func(ctx context.Context, s S, std Streams) error
}

// Main runs the program and returns its exit code. It prints an error with the program's name before it, unless
// the program was cancelled.
func (p *Program[S]) Main(args []string, std Streams) int {
	std.name = p.Name
	s, err := p.Read(args, std.Err)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return Done
	case err != nil:
		std.complain(err)
		return Misused
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err = p.Run(ctx, s, std)
	if err == nil {
		return Done
	}
	if ctx.Err() == nil {
		std.complain(err)
	}
	return Failed
}

// Exit runs the program and ends the process with its exit code.
func (p *Program[S]) Exit() {
	os.Exit(p.Main(os.Args[1:], Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}

// Streams are the standard streams of a program.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer

	name string
}

// Say writes a line to standard error, with the program's name before it.
func (s Streams) Say(what ...any) {
	fmt.Fprint(s.Err, s.name, ": ", fmt.Sprintln(what...))
}

// complain prints an error with the program's name.
func (s Streams) complain(err error) {
	if bare := new(bareError); errors.As(err, bare) {
		fmt.Fprintln(s.Err, err)
		return
	}
	s.Say(err)
}

// Terminal reports whether there is a terminal to draw in. If not, it prints that the program runs without one.
func (s Streams) Terminal() bool {
	if isTerminal(s.In) && isTerminal(s.Out) {
		return true
	}
	s.Say("no terminal to draw in, so this is a run with -headless; see -help")
	return false
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// Bare returns an error that is printed without the program's name, because the parent process adds it.
func Bare(err error) error {
	if err == nil {
		return nil
	}
	return bareError{err}
}

type bareError struct{ error }

func (b bareError) Unwrap() error { return b.error }
