// Package program is what the examples have in common as programs: options from flags or
// from a file, what they exit with, and whether there is a terminal to draw in. Nothing of
// it is about networking: who reads an example for that can leave it out.
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

// What a program exits with.
const (
	Done    = 0
	Failed  = 1 // also when an example does not show what it claims
	Misused = 2
)

// Program is an example with options of the type S.
type Program[S any] struct {
	Name string
	// Bind binds every option to a flag, and so gives each its default.
	Bind func(s *S, set *flag.FlagSet)
	// Check finds what cannot be, and says what to write.
	Check func(s *S) error
	// File lets the options come from a file of JSON, too, where they have the flags' names.
	File bool
	// Run does what the options say, until ctx ends: the program was told to.
	Run func(ctx context.Context, s S, std Streams) error
}

// Main runs the program and returns what to exit with. An error is printed with the
// program's name before it, unless the program was told to end.
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

// Exit runs the program as a process and ends that.
func (p *Program[S]) Exit() {
	os.Exit(p.Main(os.Args[1:], Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}

// Streams are what a program reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer

	name string
}

// Say writes a line for people, with the program's name before it.
func (s Streams) Say(what ...any) {
	fmt.Fprint(s.Err, s.name, ": ", fmt.Sprintln(what...))
}

// complain says what went wrong.
func (s Streams) complain(err error) {
	if bare := new(bareError); errors.As(err, bare) {
		fmt.Fprintln(s.Err, err)
		return
	}
	s.Say(err)
}

// Terminal reports whether there is one to draw in. If not it says so: what follows is a
// run without.
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

// Bare is an error that is printed without the program's name: whoever leads this process
// puts it where it belongs.
func Bare(err error) error {
	if err == nil {
		return nil
	}
	return bareError{err}
}

type bareError struct{ error }

func (b bareError) Unwrap() error { return b.error }
