package main

import (
	"context"
	"encoding/json"

	"github.com/entangle-ecs/entangle/examples/internal/program"
)

var example = program.Program[settings]{Name: "interest", Bind: (*settings).bind, Check: (*settings).check, Run: run}

func main() { example.Exit() }

// run draws, or plays without a terminal: then it prints the result, and fails if that is
// not what was claimed.
func run(ctx context.Context, s settings, std program.Streams) error {
	if !s.headless && std.Terminal() {
		return show(s)
	}
	r, err := playHeadless(ctx, s)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(std.Out).Encode(r); err != nil {
		return err
	}
	return r.verdict()
}
