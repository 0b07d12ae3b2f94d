package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/entangle-ecs/entangle/examples/internal/stage"
)

// orderQueue is how many orders may wait for the next frame of a node. A player and the demo
// together send a few per second.
const orderQueue = 64

// runPiped runs the side that the first order on in selects, and writes reports to out. It ends
// when in ends, because then the process at the other end of the pipe has ended, for whatever
// reason.
func runPiped(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	decoder := json.NewDecoder(in)
	var first order
	if err := decoder.Decode(&first); err != nil || first.Settings == nil {
		return errors.New("-pipe is for processes that the program starts by itself: the first line has no settings")
	}
	orders := make(chan order, orderQueue)
	go func() {
		defer cancel()
		for {
			var o order
			if decoder.Decode(&o) != nil {
				return
			}
			select {
			case orders <- o:
			case <-ctx.Done():
				return
			}
		}
	}()
	encoder := json.NewEncoder(out)
	n, err := newNode(first.Settings, orders, func(r report) {
		if encoder.Encode(r) != nil {
			cancel()
		}
	})
	if err != nil {
		return err
	}
	return n.playUntil(ctx)
}

// newNode creates the node of one side.
func newNode(s *settings, orders <-chan order, tell func(report)) (*node, error) {
	n := &node{orders: orders, tell: tell}
	var err error
	switch s.Mode {
	case stage.Server:
		n.side, err = newServerSide(s)
	case stage.Client:
		n.number = 1
		n.side, err = newClientSide(s)
	default:
		err = fmt.Errorf("mode %s is no side of the game", s.Mode)
	}
	return n, err
}
