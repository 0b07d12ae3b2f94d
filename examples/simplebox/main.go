package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/signal"

	"github.com/entangle-ecs/entangle/examples/internal/program"
	"github.com/entangle-ecs/entangle/examples/internal/stage"
)

var example = program.Program[settings]{
	Name: "simplebox", Bind: (*settings).bind, Check: (*settings).check, File: true, Run: run,
}

func main() { example.Exit() }

// run runs the program with its settings.
func run(ctx context.Context, s settings, std program.Streams) error {
	switch {
	case s.Mode == stage.Key:
		return stage.PrintKey(std.Out)
	case s.pipe:
		signal.Ignore(os.Interrupt) // the parent process handles Ctrl-C
		return program.Bare(runPiped(ctx, std.In, std.Out))
	case !s.Headless && std.Terminal():
		return show(ctx, s)
	case s.Mode == stage.All:
		return headless(ctx, s, std)
	}
	r, err := playLone(ctx, s, func(addr string) { std.Say("the server listens at", addr) })
	if err != nil {
		return err
	}
	return json.NewEncoder(std.Out).Encode(r)
}

var errWorldsDiffer = errors.New("the worlds are not equal")

// headless plays without a terminal, prints the result, and fails if the worlds differ.
func headless(ctx context.Context, s settings, std program.Streams) error {
	if s.Seconds == 0 {
		s.Seconds = defaultSeconds
	}
	r, err := playHeadless(ctx, s)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(std.Out).Encode(r); err != nil {
		return err
	}
	if !r.WorldsEqual {
		return errWorldsDiffer
	}
	return nil
}
