package scene

import (
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
)

// advanceTime implements "run DURATION".
func (c *commands) advanceTime(args *script.Args, trace *script.Trace) error {
	d, err := args.Duration()
	if err != nil {
		return err
	}
	return c.scene.Run(d, trace)
}

// timed is a server or client, with its clock and its frames. A netsim.Peer is one.
type timed interface {
	SetDrift(ppm int)
	Freeze(d time.Duration)
	SetFrameRate(rate int)
}

// timedServer is the server of a simulation.
type timedServer struct{ *netsim.Sim }

func (s timedServer) SetDrift(ppm int)       { s.SetServerDrift(ppm) }
func (s timedServer) Freeze(d time.Duration) { s.FreezeServer(d) }
func (s timedServer) SetFrameRate(rate int)  { s.SetServerFrameRate(rate) }

// setDrift implements "drift server|CLIENTS PPM", which makes the clocks of the server or of
// clients run faster (+300) or slower (-300) than the simulation's, in parts per million.
func (g *Game) setDrift(c *commands, args *script.Args) error {
	all, err := g.timedArgs(c, args)
	if err != nil {
		return err
	}
	ppm, err := args.Signed()
	switch {
	case err != nil:
		return err
	case ppm < -netsim.MaxDrift || ppm > netsim.MaxDrift:
		return fmt.Errorf("a drift of %d parts per million; give %d to %d", ppm, -netsim.MaxDrift, netsim.MaxDrift)
	}
	for _, t := range all {
		t.SetDrift(ppm)
	}
	return nil
}

// freezeFrames implements "freeze server|CLIENTS DURATION", which lets no frame of the server or of
// clients begin for a duration.
func (g *Game) freezeFrames(c *commands, args *script.Args) error {
	all, err := g.timedArgs(c, args)
	if err != nil {
		return err
	}
	d, err := args.Duration()
	if err != nil {
		return err
	}
	for _, t := range all {
		t.Freeze(d)
	}
	return nil
}

// setFrameRate implements "framerate server|CLIENTS NUMBER", which sets the frames per second of
// the server or of clients.
func (g *Game) setFrameRate(c *commands, args *script.Args) error {
	all, err := g.timedArgs(c, args)
	if err != nil {
		return err
	}
	rate, err := args.Int()
	switch {
	case err != nil:
		return err
	case rate < 1 || rate > tick.MaxTickRate:
		return fmt.Errorf("a frame rate of %d; give 1 to %d", rate, tick.MaxTickRate)
	}
	for _, t := range all {
		t.SetFrameRate(rate)
	}
	return nil
}

// timedArgs takes the word server, or a list of clients.
func (g *Game) timedArgs(c *commands, args *script.Args) (all []timed, err error) {
	if args.Take("server") {
		return []timed{timedServer{g.sim}}, nil
	}
	if args.Len() == 0 {
		return nil, script.ErrMissing
	}
	clients, err := c.clientArgs(args)
	for _, client := range clients {
		all = append(all, g.peer(client))
	}
	return all, err
}
