package netsim_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

var (
	seeds    = flag.Uint64("seeds", 200, "how many random worlds to run")
	fromSeed = flag.Uint64("seed", 1, "the seed of the first random world")
)

const maxGuests = 4

// Random worlds on bad lines: what Watch checks, events, messages and limits hold
// at every step, and when changes, faults and loss end, all worlds are equal soon.
//
// Proves: R1, R2, R4, R5, R6, R7, R8, R25, R38, C7
func TestRandomWorlds(t *testing.T) {
	for seed := *fromSeed; seed < *fromSeed+*seeds; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			defer func() {
				if t.Failed() {
					t.Logf("repeat with: go test ./netsim -count=1 -run '^TestRandomWorlds$' -seeds 1 -seed %d", seed)
				}
			}()
			newRandomRun(t, seed).run()
		})
	}
}

// randomRun is one world with its guests.
type randomRun struct {
	t       *testing.T
	rng     *rand.Rand
	sim     *netsim.Sim
	wild    *wild
	mail    *mailServer
	guests  []*guest
	lasting bool // half of all datagrams are lost to the end
	outside bool // the world is changed between frames, too
}

func newRandomRun(t *testing.T, seed uint64) *randomRun {
	rng := rand.New(rand.NewPCG(seed, 0x72616e646f6d))
	r := &randomRun{t: t, rng: rng, lasting: seed%8 == 0, outside: seed%3 == 0}
	r.sim = netsim.New(t, netsim.Config{Seed: seed, FrameRate: []int{0, 30, 20, 75}[seed%4]})
	server, err := plugin.NewServer(r.sim.ServerConfig(randomProtocol()))
	require.NoError(t, err)
	r.wild = &wild{rng: rand.New(rand.NewPCG(seed, 0x77696c64))}
	r.mail = &mailServer{t: t}
	server.AddSystem(plugin.Receive, r.mail.system())
	server.AddSystem(plugin.FixedMain, r.mail.sender())
	server.AddSystem(plugin.FixedMain, r.wild.system())
	r.sim.AddServer(server, server)
	r.sim.Watch()
	return r
}

func (r *randomRun) run() {
	r.join()
	for range 40 {
		r.sim.Run(time.Duration(r.rng.IntN(200)) * ms)
		r.fault()
		if r.outside && r.rng.IntN(3) == 0 && r.wild.world != nil {
			r.wild.change(6)
		}
		r.bounds()
	}
	r.gather()
	r.settle()
}

// badLink is any line, up to 300 ms and 50 % loss in each direction.
func (r *randomRun) badLink() netsim.Link {
	way := func() conditioner.Config {
		return conditioner.Config{
			Latency: time.Duration(r.rng.IntN(300)) * ms, Jitter: time.Duration(r.rng.IntN(60)) * ms,
			Loss: []float64{0, 0.05, 0.2, 0.5}[r.rng.IntN(4)], Duplicate: []float64{0, 0, 0.2}[r.rng.IntN(3)],
			Reorder: []float64{0, 0.1}[r.rng.IntN(2)],
		}
	}
	return netsim.Link{Up: way(), Down: way()}
}

func (r *randomRun) join() {
	g := joinRandom(r.t, r.sim, entangle.ClientID(len(r.guests)+1))
	g.SetLink(r.badLink())
	r.guests = append(r.guests, g)
}

// fault lets something happen to somebody.
func (r *randomRun) fault() {
	g := r.guests[r.rng.IntN(len(r.guests))]
	switch r.rng.IntN(12) {
	case 0:
		if len(r.guests) < maxGuests {
			r.join()
		}
	case 1:
		g.Disconnect()
	case 2:
		r.sim.Server().Disconnect(g.ID(), "kicked")
	case 3:
		g.Cut()
	case 4, 5, 6:
		g.Restore()
	case 7:
		g.SetLink(r.badLink())
	case 8, 9:
		r.reconnect()
	}
}

func (r *randomRun) reconnect() {
	for _, g := range r.guests {
		if g.Client().State() == plugin.Disconnected {
			g.Connect()
		}
	}
}

// bounds holds what every end keeps against its limits.
func (r *randomRun) bounds() {
	for _, load := range r.sim.Server().Loads() {
		require.NoError(r.t, load.Check())
	}
	for _, g := range r.guests {
		require.NoError(r.t, g.Client().Load().Check())
	}
}

// gather waits until everybody is connected on a line that is not cut.
func (r *randomRun) gather() {
	for _, g := range r.guests {
		g.Restore()
		if link := g.Line().Link(); r.lasting {
			// A change that is lost is sent again after a round trip and more: only on
			// lines that are not slow as well do 10 s hold enough attempts.
			link.Up.Loss, link.Down.Loss = 0.5, 0.5
			link.Up.Latency, link.Down.Latency = min(link.Up.Latency, 100*ms), min(link.Down.Latency, 100*ms)
			g.SetLink(link)
		}
	}
	here := func() bool {
		r.reconnect()
		for _, g := range r.guests {
			if !g.Connected() {
				return false
			}
		}
		return len(r.sim.Server().Clients()) == len(r.guests)
	}
	// A connection that one end has given up takes the other the timeout of 5 s.
	for range 3 {
		require.True(r.t, r.sim.RunUntil(30*time.Second, here), "not everybody could connect")
		r.sim.Run(time.Second)
	}
	require.True(r.t, here())
}

// settle ends changes and, unless it lasts, loss.
func (r *randomRun) settle() {
	patience := 10 * time.Second
	if !r.lasting {
		patience = 2*time.Second + 4*r.calm()
	}
	r.wild.still, r.mail.quiet = true, true
	for _, g := range r.guests {
		g.mail.quiet = true
	}
	const slice = 50 * ms
	for waited := time.Duration(0); waited < patience; waited += slice {
		if r.delivered() && r.sim.Equal() == nil {
			return
		}
		r.sim.Run(slice)
		r.bounds()
	}
	r.sim.ExpectEqual()
	require.Truef(r.t, r.delivered(), "after %v not all reliable messages have arrived", patience)
}

// calm ends loss, and returns the longest round trip.
func (r *randomRun) calm() (longest time.Duration) {
	for _, g := range r.guests {
		link := g.Line().Link()
		link.Up.Loss, link.Down.Loss = 0, 0
		g.SetLink(link)
		longest = max(longest, link.RoundTrip()+link.Up.Jitter+link.Down.Jitter)
	}
	return longest
}

// delivered reports whether every reliable message has arrived at its end.
func (r *randomRun) delivered() bool {
	for _, g := range r.guests {
		if !g.mail.in.complete(r.mail.out[g.ID()]) || !r.mail.in[g.ID()].complete(&g.mail.out) {
			return false
		}
	}
	return true
}
