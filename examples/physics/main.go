package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/entangle-ecs/entangle/examples/internal/program"
	"github.com/entangle-ecs/entangle/transport/token"
)

var example = program.Program[settings]{
	Name: "physics", Bind: (*settings).bind, Check: (*settings).check, File: true, Run: run,
}

func main() { example.Exit() }

// run does what the mode says.
func run(ctx context.Context, s settings, std program.Streams) error {
	switch {
	case s.Mode == modeKey:
		_, err := fmt.Fprintln(std.Out, token.NewKey().Hex())
		return err
	case !s.Headless && std.Terminal():
		return show(ctx, s)
	}
	s.Headless = true
	return headless(ctx, s, std)
}

// headless plays, prints the result, and fails if that is not what was claimed. The table
// is for people, the line of JSON for programs.
func headless(ctx context.Context, s settings, std program.Streams) error {
	r, err := playHeadless(ctx, s, std.Err)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(std.Out).Encode(r); err != nil || s.Mode == modeServer {
		return err
	}
	if err := r.table(std.Err); err != nil {
		return err
	}
	return r.verdict()
}
