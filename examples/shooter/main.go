package main

import (
	"context"

	"github.com/entangle-ecs/entangle/examples/internal/program"
	"github.com/entangle-ecs/entangle/examples/internal/stage"
)

var example = program.Program[settings]{
	Name: "shooter", Bind: (*settings).bind, Check: (*settings).check, File: true, Run: runProgram,
}

func main() { example.Exit() }

// runProgram runs the selected mode: it draws, or plays without a terminal. Then it prints the result, and fails if
// the claim does not hold.
func runProgram(ctx context.Context, s settings, std program.Streams) error {
	switch {
	case s.Mode == stage.Key:
		return stage.PrintKey(std.Out)
	case !s.Headless && std.Terminal():
		return show(ctx, s)
	}
	s.Headless = true
	r, err := playHeadless(ctx, s, std.Err)
	if err != nil {
		return err
	}
	return std.Tell(r)
}
