package main

import (
	"context"
	"errors"
	"os"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/plugin"
)

// reportEvery is the number of frames from one report to the next: there are twenty reports per
// second.
const reportEvery = tickRate / 20

// side is the part of a node that differs between a server and a client.
type side interface {
	plugin.App

	// obey carries out an order that is specific to this side.
	obey(order) error
	// describe fills in the fields of a report that are specific to this side.
	describe(*report)
	// failed returns the reason why the side cannot continue, or nil if it can.
	failed() error
}

// node runs one side of the game in this process. It receives orders and sends reports, over a pipe
// or within the process.
type node struct {
	side   side
	number int // 0 for the server; clients are numbered from 1
	orders <-chan order
	tell   func(report)

	end    context.CancelCauseFunc
	dumper *dumper
	camera *camera
	dumped string
	frames int
}

// playUntil plays until ctx is cancelled or the side fails.
func (n *node) playUntil(ctx context.Context) error {
	ctx, n.end = context.WithCancelCause(ctx)
	defer n.end(nil)
	n.side.AddSystem(plugin.AfterReceive, plugin.Func(n.watch))
	n.side.AddSystem(plugin.AfterSend, plugin.Func(func(*ecs.World) func() { return n.report }))
	world := ecs.NewWorld(1024)
	if err := plugin.Run(ctx, &world, n.side); err != nil {
		return err
	}
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// watch returns a system that carries out the orders, once per frame.
func (n *node) watch(w *ecs.World) func() {
	n.dumper = newDumper(newProtocol(), w)
	n.camera = newCamera(w)
	return func() {
		if err := n.side.failed(); err != nil {
			n.end(err)
		}
		for {
			select {
			case o := <-n.orders:
				if err := n.obey(w, o); err != nil {
					n.end(err)
				}
			default:
				return
			}
		}
	}
}

func (n *node) obey(w *ecs.World, o order) error {
	if o.Spoil {
		spoil(w)
	}
	if o.Dump != "" {
		dump := n.dumper.dump()
		if err := os.WriteFile(o.Dump, dump, 0o600); err != nil {
			return err
		}
		n.dumped = hashOf(dump)
	}
	return n.side.obey(o)
}

// report sends a report every few frames.
func (n *node) report() {
	if n.frames++; n.frames%reportEvery != 0 {
		return
	}
	r := report{Side: n.number, Digest: hashOf(n.dumper.dump()), Dumped: n.dumped}
	r.Snapshot, r.Entities = n.camera.nextSnapshot()
	n.side.describe(&r)
	n.tell(r)
}
