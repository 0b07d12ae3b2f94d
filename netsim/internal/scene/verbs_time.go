package scene

import (
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
)

// advanceTime implements "run DURATION".
func (c *commands) advanceTime(args *script.Args, trace *script.Trace) {
	if d := args.Duration(); args.Err() == nil {
		args.Fail(c.scene.Run(d, trace))
	}
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
func (g *Game) setDrift(c *commands, args *script.Args) {
	all, ppm := g.timedArgs(c, args), args.Signed()
	if ppm < -netsim.MaxDrift || ppm > netsim.MaxDrift {
		args.Fail(fmt.Errorf("a drift of %d parts per million; give %d to %d", ppm, -netsim.MaxDrift, netsim.MaxDrift))
	}
	for _, t := range all {
		if args.Err() == nil {
			t.SetDrift(ppm)
		}
	}
}

// freezeFrames implements "freeze server|CLIENTS DURATION", which lets no frame of the server or of
// clients begin for a duration.
func (g *Game) freezeFrames(c *commands, args *script.Args) {
	all, d := g.timedArgs(c, args), args.Duration()
	for _, t := range all {
		if args.Err() == nil {
			t.Freeze(d)
		}
	}
}

// setFrameRate implements "framerate server|CLIENTS NUMBER", which sets the frames per second of
// the server or of clients.
func (g *Game) setFrameRate(c *commands, args *script.Args) {
	all, rate := g.timedArgs(c, args), args.Int()
	if rate < 1 || rate > tick.MaxTickRate {
		args.Fail(fmt.Errorf("a frame rate of %d; give 1 to %d", rate, tick.MaxTickRate))
	}
	for _, t := range all {
		if args.Err() == nil {
			t.SetFrameRate(rate)
		}
	}
}

// timedArgs takes the word server, or a list of clients.
func (g *Game) timedArgs(c *commands, args *script.Args) (all []timed) {
	if args.Take("server") {
		return []timed{timedServer{g.sim}}
	}
	for _, client := range c.someClientArgs(args) {
		all = append(all, g.peer(client))
	}
	return all
}
