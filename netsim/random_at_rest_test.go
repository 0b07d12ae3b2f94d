package netsim_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
	"github.com/entangle-ecs/entangle/plugin"
)

func (s *randomScene) bringToRest(args *script.Args, _ *script.Trace) {
	loss := 0.0
	if args.Len() > 0 {
		loss = args.Percent()
	}
	if args.Err() == nil {
		args.Fail(s.awaitRest(loss))
	}
}

func (s *randomScene) awaitRest(loss float64) error {
	if err := s.gather(loss); err != nil {
		return err
	}
	patience := 20 * time.Second
	if loss == 0 {
		patience = 2*time.Second + 4*s.calm()
	}
	s.main.rest()
	s.shots.still = true
	s.quiet(true)
	patience += s.meters.patience(s.worldBytes())
	if err := s.await(patience, func() bool { return s.delivered() && s.sim.Equal() == nil }); err != nil {
		return err
	}
	// The server learns that everything has arrived a round trip later, and a client learns it
	// another half round trip later. At a loss of a half, that takes several attempts.
	if err := s.await(patience, func() bool { return s.joined() && s.synced() }); err != nil {
		return err
	}
	// From now on nothing changes, and every client has received all changes.
	if err := s.await(patience, func() bool { return s.main.rests > relinks && s.sim.Equal() == nil }); err != nil {
		return err
	}
	s.sim.ExpectPredicted(time.Second)
	if err := s.await(patience, func() bool { return s.sim.ShownRests() == nil }); err != nil {
		return errors.Join(err, s.sim.ShownRests())
	}
	for _, g := range s.guests {
		if err := checkStamps(g.World()); err != nil {
			return fmt.Errorf("client %d: %w", g.ID(), err)
		}
		if g.shots != nil {
			if err := g.shots.expectNoShots(); err != nil {
				return err
			}
		}
	}
	if err := s.rewinds.expectExact(); err != nil {
		return err
	}
	return s.checkLeads()
}

// checkStamps checks that a component of the mode Once is on the entities that a client predicts
// and that have it on the server, despite rollbacks.
func checkStamps(w *ecs.World) (err error) {
	stamps, confirmed := generic.NewMap1[stamp](w), plugin.NewConfirmed[stamp](w)
	for q := generic.NewFilter1[components.Predicted]().Query(w); q.Next(); {
		_, _, should := confirmed.Get(q.Entity())
		if is := stamps.Get(q.Entity()) != nil; is != should {
			err = fmt.Errorf("that its %v has a stamp is %v, and should be %v", q.Entity(), is, should)
		}
	}
	return err
}

// gather waits until every client is connected on a line that is not cut.
func (s *randomScene) gather(loss float64) error {
	for _, g := range s.guests {
		g.Restore()
		if link := g.Line().Link(); loss > 0 {
			// A lost change is resent after a round trip or more, or after a second if
			// acknowledgements are lost as well. 20 s are enough for the necessary attempts only on
			// lines that are not slow.
			link.Up.Loss, link.Down.Loss = loss, loss
			link.Up.Latency, link.Down.Latency = min(link.Up.Latency, 100*ms), min(link.Down.Latency, 100*ms)
			g.SetLink(link)
		}
	}
	// When one side has dropped a connection, the other notices after the timeout of 5 s.
	for range 3 {
		if !s.sim.RunUntil(30*time.Second, s.allConnected) {
			return errAway
		}
		s.sim.Run(time.Second)
	}
	if !s.allConnected() && s.limits.waiting == 0 { // they may leave again because they lack memory: see comeBack
		return errAway
	}
	return nil
}

var errAway = errors.New("not everybody could connect")

// allConnected reports whether every client is connected, and reconnects those that can.
func (s *randomScene) allConnected() bool {
	all := true
	for _, g := range s.guests {
		if g.Client().State() == plugin.Disconnected {
			g.Connect()
		}
		all = all && g.Connected()
	}
	if s.host != nil && s.host.Player().State() == plugin.Disconnected {
		require.NoError(s.t, s.host.Player().Connect(nil))
	}
	return all && s.counted()
}

// calm removes loss from all lines, and returns the longest round trip.
func (s *randomScene) calm() (longest time.Duration) {
	for _, g := range s.guests {
		link := g.Line().Link()
		link.Up.Loss, link.Down.Loss = 0, 0
		g.SetLink(link)
		longest = max(longest, link.RoundTrip()+link.Up.Jitter+link.Down.Jitter)
	}
	return longest
}

// await waits until a condition is true: worlds are equal and messages have arrived, or every
// client has joined and knows the server's time.
func (s *randomScene) await(patience time.Duration, holds func() bool) error {
	const slice = 50 * ms
	for waited := time.Duration(0); waited < patience; waited += slice {
		if again, err := s.comeBack(); err != nil {
			return err
		} else if again {
			waited = 0
		} else if holds() {
			return nil
		}
		if err := s.Run(slice, nil); err != nil {
			return err
		}
	}
	if again, err := s.comeBack(); again || err != nil {
		return errors.Join(err, errAway)
	}
	if err := s.sim.Equal(); err != nil {
		return fmt.Errorf("after %v: %w", patience, err)
	}
	if !s.delivered() {
		return fmt.Errorf("after %v not all reliable messages have arrived", patience)
	}
	if !s.joined() {
		return fmt.Errorf("after %v not everybody has joined", patience)
	}
	return fmt.Errorf("after %v not every clock is synced", patience)
}

// comeBack reconnects the clients that left because a limit of their memory was reached, and
// reports whether any is joining.
func (s *randomScene) comeBack() (again bool, err error) {
	for _, g := range s.guests {
		if g.Connected() {
			continue
		}
		again = true
		if g.Client().State() != plugin.Disconnected {
			continue
		}
		if s.limits.waiting == 0 || !g.noRoom() {
			return true, fmt.Errorf("client %d is disconnected: %w", g.ID(), g.Client().Err())
		}
		if s.returns++; s.returns > maxReturns {
			return true, fmt.Errorf("client %d has no room for this world: %w", g.ID(), g.Client().Err())
		}
		g.Connect()
	}
	return again || !s.counted(), nil
}

// counted reports whether the server has the expected number of clients.
func (s *randomScene) counted() bool {
	clients := len(s.guests)
	if s.host != nil {
		clients++
	}
	return len(s.sim.Server().Clients()) == clients
}

// maxReturns is how often in all clients of a random world may reconnect at its end because a limit
// of their memory was reached. Nothing changes any more, but a client that may keep a few hundred
// bytes on a line that loses half of its packets fails in most attempts to join.
const maxReturns = 32

// delivered reports whether every reliable message has arrived.
func (s *randomScene) delivered() bool {
	for _, g := range s.guests {
		if !g.mail.in.complete(s.mail.out[g.ID()]) || !s.mail.in[g.ID()].complete(&g.mail.out) {
			return false
		}
	}
	player := &s.mail.player
	return s.host == nil || player.in.complete(s.mail.out[hostPlayer]) && s.mail.in[hostPlayer].complete(&player.out)
}
