package main

import (
	"context"

	"github.com/entangle-ecs/entangle/examples/internal/program"
)

var example = program.Program[settings]{Name: "intents", Bind: (*settings).bind, Check: (*settings).check, Run: run}

func main() { example.Exit() }

// run draws, or plays without a terminal. In that case it prints the result, and fails if the
// example's claim does not hold.
func run(ctx context.Context, s settings, std program.Streams) error {
	if !s.Headless && std.Terminal() {
		return show(ctx, s)
	}
	r, err := playHeadless(ctx, s)
	if err != nil {
		return err
	}
	return std.Tell(r)
}
