package stage

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/conditioner"
	"github.com/entangle-ecs/entangle/transport/memory"
)

// start is the initial time of the virtual clock. It is arbitrary, but always the same.
var start = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// Cast describes the sides. The functions Server and Client create a side with the game in it. They
// get a config from the stage, and set its Protocol.
type Cast struct {
	Rate    int // ticks per second
	Clients int // number of clients that run together with the server
	// Protocol creates a new protocol, for one side.
	Protocol func() *protocol.Protocol
	Server   func(plugin.ServerConfig) (*plugin.Server, error)
	Client   func(plugin.ClientConfig, entangle.ClientID) (*plugin.Client, error)
	// LineOf returns the line of a client, if not all of them have the same. It may be nil.
	LineOf func(entangle.ClientID, Line) Line
}

// Stage holds the sides that run in this process.
type Stage struct {
	// Worlds are the worlds of the server and of the clients, nil for sides that do not run here.
	Worlds []*ecs.World
	// Played is the number of frames that Step has played.
	Played int

	cast    Cast
	sides   Sides
	line    Line
	now     time.Time
	server  *plugin.Server // nil in mode client
	clients []*plugin.Client
	dialers []*dialer // of the clients
}

// Open starts the selected sides. Clients begin to connect.
func Open(cast Cast, sides Sides, line Line) (*Stage, error) {
	s := &Stage{cast: cast, sides: sides, line: line, now: start, Worlds: []*ecs.World{nil}}
	switch sides.Mode {
	case Server:
		s.now = time.Now()
		return s, s.listen()
	case Client:
		s.now = time.Now()
		return s, s.dial()
	default:
		return s, s.connect()
	}
}

// connect starts all sides, in a network within this process.
func (s *Stage) connect() error {
	network := memory.NewNetwork()
	if err := s.serve(network.Listener()); err != nil {
		return err
	}
	for i := range s.cast.Clients {
		if err := s.startClient(network.Dialer(), s.server.Addrs()[0], entangle.ClientID(i+1)); err != nil {
			return err
		}
	}
	return nil
}

// serve starts the server.
func (s *Stage) serve(listener transport.Listener) error {
	key, err := s.sides.Secret()
	if err != nil {
		return err
	}
	config := plugin.ServerConfig{Protocol: s.cast.Protocol(), Key: key, Clock: s.clock}
	if s.server, err = s.cast.Server(config); err != nil {
		return err
	}
	s.Worlds[0] = newWorld()
	s.server.Initialize(s.Worlds[0])
	return s.server.Start(listener)
}

// startClient starts a client over the configured line.
func (s *Stage) startClient(inner transport.Dialer, server netip.AddrPort, id entangle.ClientID) error {
	config := plugin.ClientConfig{Protocol: s.cast.Protocol(), Clock: s.clock}
	client, err := s.cast.Client(config, id)
	if err != nil {
		return err
	}
	world := newWorld()
	client.Initialize(world)
	ticket, err := s.ticket(client, server, id)
	if err != nil {
		return err
	}
	of := s.lineOf(id)
	line := conditioner.Options{Send: of.Config(), Receive: of.Config(), Seed: s.line.Seed + uint64(len(s.clients)), Clock: s.clock}
	over := &dialer{inner: conditioner.NewDialer(inner, line)}
	s.clients, s.Worlds, s.dialers = append(s.clients, client), append(s.Worlds, world), append(s.dialers, over)
	return client.Connect(over, ticket)
}

// SetLine changes the network conditions of all clients. Their random numbers go on.
func (s *Stage) SetLine(line Line) error {
	s.line = line
	for i, d := range s.dialers {
		of := s.lineOf(entangle.ClientID(i + 1))
		if err := d.configure(of.Config()); err != nil {
			return err
		}
	}
	return nil
}

// lineOf returns the line of a client.
func (s *Stage) lineOf(id entangle.ClientID) Line {
	if s.cast.LineOf == nil {
		return s.line
	}
	return s.cast.LineOf(id, s.line)
}

func newWorld() *ecs.World {
	w := ecs.NewWorld()
	return &w
}

func (s *Stage) clock() time.Time { return s.now }

// Now is the time on the stage's clock since it was opened.
func (s *Stage) Now() time.Duration { return s.now.Sub(start) }

// Alone reports whether one side runs alone: the other is in another process, and the clock is
// real.
func (s *Stage) Alone() bool { return s.sides.Mode == Server || s.sides.Mode == Client }

// Frame advances all sides by the length of a tick, or by the real time that has passed.
func (s *Stage) Frame() {
	s.now = s.now.Add(time.Second / time.Duration(s.cast.Rate))
	if s.Alone() {
		s.now = time.Now()
	}
	if s.server != nil {
		s.server.Step(s.now)
	}
	for _, c := range s.clients {
		c.Step(s.now)
	}
}

// Step plays a frame and counts it. It reports whether the given number is reached; 0 means without
// end.
func (s *Stage) Step(frames int) (over bool) {
	s.Frame()
	s.Played++
	return frames > 0 && s.Played >= frames
}

// PlayOn calls step frame by frame, until the play is over or fails, or ctx is cancelled. With the
// virtual clock the frames run as fast as possible.
func (s *Stage) PlayOn(ctx context.Context, step func() (over bool, err error)) error {
	pace := time.NewTicker(time.Second / time.Duration(s.cast.Rate))
	defer pace.Stop()
	for ctx.Err() == nil {
		if over, err := step(); over || err != nil {
			return err
		}
		if s.Alone() {
			<-pace.C
		}
	}
	return nil
}

// Failed returns the error that ended the play of any side, or nil.
func (s *Stage) Failed() error {
	if s.server != nil && s.server.Err() != nil {
		return s.server.Err()
	}
	for i, c := range s.clients {
		switch {
		case c.State() != plugin.Disconnected:
		case len(s.clients) == 1:
			return fmt.Errorf("the client is disconnected: %w", c.Err())
		default:
			return fmt.Errorf("client %d is disconnected: %w", i+1, c.Err())
		}
	}
	return nil
}

// End disconnects from the other side.
func (s *Stage) End() {
	for i, c := range s.clients {
		c.Finalize(s.Worlds[i+1])
	}
	if s.server != nil {
		s.server.Finalize(s.Worlds[0])
	}
}
