package netsim_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// transcript hashes all datagrams of a random run: time, sender, receiver and bytes.
func transcript(t *testing.T, seed uint64) string {
	hash := sha256.New()
	require.NoError(t, try(randomSteps(seed), func(s *randomScene) {
		s.sim.Network().Tap(func(from, to netip.AddrPort, datagram []byte) {
			var at [8]byte
			binary.LittleEndian.PutUint64(at[:], uint64(s.sim.Clock().Since()))
			for _, part := range [][]byte{at[:], []byte(from.String()), []byte(to.String()), datagram} {
				hash.Write(part)
			}
		})
	}))
	return hex.EncodeToString(hash.Sum(nil))
}

// The same seed gives the same bytes at the same times, on one processor and on two. Another seed
// gives other bytes.
func TestTheSameSeedGivesTheSameBytes(t *testing.T) {
	before := runtime.GOMAXPROCS(1)
	one := transcript(t, 11)
	runtime.GOMAXPROCS(2)
	two := transcript(t, 11)
	runtime.GOMAXPROCS(before)
	assert.Equal(t, one, two)
	assert.NotEqual(t, one, transcript(t, 12))
}

// If a game writes equal values all the time, it sends the same bytes as one that writes nothing.
//
// Proves: R16
func TestWritingEqualValuesSendsNothing(t *testing.T) {
	run := func(rewrite bool) (hash [32]byte) {
		sim := newSim(t, netsim.Config{Seed: 5}, func(s *plugin.Server) {
			s.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
				filter := generic.NewFilter1[Spot]()
				if !rewrite {
					return nil
				}
				return func() {
					for q := filter.Query(w); q.Next(); {
						spot := q.Get()
						*spot = Spot{spot.X, spot.Y}
					}
				}
			}))
		})
		sum := sha256.New()
		sim.Network().Tap(func(_, _ netip.AddrPort, datagram []byte) { sum.Write(datagram) })
		join(t, sim, 1)
		spawnSpot(sim, Spot{1, 2})
		sim.Run(3 * time.Second)
		sim.ExpectEqual()
		return [32]byte(sum.Sum(nil))
	}
	assert.Equal(t, run(false), run(true))
}

// Once nothing changes and everything is acknowledged, only keep-alives are sent, and no updates.
//
// Proves: R33
func TestAStillWorldSendsNoUpdates(t *testing.T) {
	sim := newSim(t, netsim.Config{})
	join(t, sim, 1)
	e := spawnSpot(sim, Spot{1, 2})
	sim.Run(2 * time.Second)
	sim.ExpectEqual()
	before := sim.Server().Stats()
	most := 0
	sim.Network().Tap(func(_, _ netip.AddrPort, datagram []byte) { most = max(most, len(datagram)) })
	sim.Run(10 * time.Second)
	after := sim.Server().Stats()
	assert.Equal(t, before.Replication, after.Replication)
	assert.LessOrEqual(t, after.PacketsOut-before.PacketsOut, uint64(110), "10 keep-alives per second")
	assert.Less(t, most, 50)

	spotOf(sim.World(), e).X = 9
	sim.Run(time.Second)
	assert.Equal(t, before.Replication.Updates+1, sim.Server().Stats().Replication.Updates)
}

// departures records why clients were disconnected.
func departures(reasons *[]string) func(*plugin.Server) {
	return func(s *plugin.Server) {
		s.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
			went := plugin.NewReader[plugin.ClientDisconnected](w)
			return func() {
				for _, e := range went.Read() {
					*reasons = append(*reasons, fmt.Sprintf("%d: %v", e.Client, e.Err))
				}
			}
		}))
	}
}

// A line that delivers nothing for the timeout ends the connection on both sides, with the reason.
// An idle connection remains, although a third of its keep-alives is lost.
//
// Proves: C5
func TestSilenceEndsAConnectionAndIdlenessDoesNot(t *testing.T) {
	var reasons []string
	sim := newSim(t, netsim.Config{FrameRate: 20}, departures(&reasons))
	dead, idle := join(t, sim, 1), join(t, sim, 2)
	idle.SetLink(netsim.Symmetric(conditioner.Config{Latency: 50 * ms, Loss: 0.3}))
	require.True(t, sim.RunUntil(5*time.Second, func() bool { return dead.Connected() && idle.Connected() }))
	dead.Cut()
	sim.Run(4 * time.Second)
	assert.True(t, dead.Connected(), "before the timeout")
	sim.Run(2 * time.Second)
	assert.Equal(t, plugin.Disconnected, dead.Client().State())
	assert.EqualError(t, dead.Client().Err(), "timed out: no packets from the other side")
	require.Len(t, reasons, 1)
	assert.Contains(t, reasons[0], "1: timed out")
	sim.Run(20 * time.Minute)
	assert.True(t, idle.Connected())
	assert.Len(t, reasons, 1)
}

// A client that reconnects with a new token sees the present world; in-flight packets of the old
// connection change nothing.
//
// Proves: C7
func TestReconnectingOnABadLineLeavesNothingOfTheOldConnection(t *testing.T) {
	sim := newSim(t, netsim.Config{Link: netsim.Symmetric(conditioner.Config{Latency: 150 * ms, Jitter: 100 * ms, Duplicate: 0.5})})
	sim.Watch()
	p := join(t, sim, 1)
	old := spawnSpot(sim, Spot{1, 1})
	require.True(t, sim.RunUntil(5*time.Second, func() bool { _, ok := p.Local(old); return ok }))
	local, _ := p.Local(old)
	for i := range int8(10) {
		spotOf(sim.World(), old).X = i
		sim.Run(20 * ms)
	}
	p.Disconnect()
	assert.False(t, p.World().Alive(local))
	_, ok := p.Local(old)
	assert.False(t, ok)
	sim.World().RemoveEntity(old)
	fresh := spawnSpot(sim, Spot{7, 7})
	p.Connect()
	require.True(t, sim.RunUntil(10*time.Second, func() bool { return sim.Equal() == nil }))
	local, ok = p.Local(fresh)
	require.True(t, ok)
	assert.Equal(t, Spot{7, 7}, *spotOf(p.World(), local))
	origin, ok := p.Origin(local)
	assert.True(t, ok)
	assert.Equal(t, fresh, origin)
	assert.Len(t, sim.Server().Clients(), 1)
}

// notes is a test that can fail without ending.
type notes struct {
	failure string
	failed  bool
	logged  string
	cleanup []func()
}

func (n *notes) Helper()                             {}
func (n *notes) Fatalf(format string, values ...any) { n.failure = fmt.Sprintf(format, values...) }
func (n *notes) Name() string                        { return "TestNotes/a b" }
func (n *notes) Failed() bool                        { return n.failed }
func (n *notes) Logf(format string, values ...any)   { n.logged += fmt.Sprintf(format, values...) }
func (n *notes) Cleanup(f func())                    { n.cleanup = append(n.cleanup, f) }
func (n *notes) runCleanup()                         { n.cleanup[0]() }

func TestAFailedTestLogsHowToRepeatIt(t *testing.T) {
	t.Setenv(netsim.SeedVariable, "77")
	n := &notes{failed: true}
	assert.EqualValues(t, 77, netsim.New(n, netsim.Config{}).Seed())
	n.runCleanup()
	assert.Equal(t, "netsim: seed 77; repeat with: ENTANGLE_SEED=77 go test -count=1 -run '^TestNotes$/^a b$' .", n.logged)

	n = &notes{failed: true}
	assert.EqualValues(t, 5, netsim.New(n, netsim.Config{Seed: 5}).Seed())
	n.runCleanup()
	assert.Equal(t, "netsim: seed 5; repeat with: go test -count=1 -run '^TestNotes$/^a b$' .", n.logged)

	n = &notes{}
	netsim.New(n, netsim.Config{})
	n.runCleanup()
	assert.Empty(t, n.logged)
}

func TestMistakesOfASimulationSayWhatToDo(t *testing.T) {
	n := &notes{}
	netsim.New(n, netsim.Config{FrameRate: -1})
	assert.Contains(t, n.failure, "Config.FrameRate is -1")
	t.Setenv(netsim.SeedVariable, "many")
	netsim.New(n, netsim.Config{})
	assert.Contains(t, n.failure, `ENTANGLE_SEED is "many"`)
	t.Setenv(netsim.SeedVariable, "")

	n = &notes{}
	sim := netsim.New(n, netsim.Config{})
	server := serve(t, sim, sim.ServerConfig(spotProtocol()))
	p := joinWith(t, sim, 1, spotProtocol())
	assert.Empty(t, n.failure)
	sim.ExpectEqual()
	assert.Contains(t, n.failure, "client 1 is Connecting")
	p.SetLink(netsim.Symmetric(conditioner.Config{Loss: 2}))
	assert.Contains(t, n.failure, "Config.Loss is 2")
	p.Connect()
	assert.Contains(t, n.failure, "call Disconnect first")
	n.runCleanup()
	assert.Equal(t, plugin.Stopped, server.State())
}

// tower is a game that owns its world, and contains its server.
type tower struct {
	world  ecs.World
	server *plugin.Server
	steps  int
}

func (m *tower) Initialize()  { m.server.Initialize(&m.world) }
func (m *tower) Update() bool { m.steps++; m.server.Update(&m.world); return true }
func (m *tower) Finalize()    { m.server.Finalize(&m.world) }

func TestAModelWithItsOwnWorldIsStepped(t *testing.T) {
	sim := netsim.New(t, netsim.Config{})
	server := newServer(t, sim.ServerConfig(spotProtocol()))
	m := &tower{world: ecs.NewWorld(), server: server}
	sim.AddServer(netsim.Model(m), server)
	assert.Same(t, &m.world, sim.World())
	join(t, sim, 1)
	spawnSpot(sim, Spot{1, 2})
	sim.Run(time.Second)
	assert.InDelta(t, 50, m.steps, 1)
	sim.ExpectEqual()
}

// Server and clients start their frames at different moments.
func TestFramesStartAtDifferentMoments(t *testing.T) {
	var at []time.Duration
	sim := newSim(t, netsim.Config{FrameRate: 10})
	for id := entangle.ClientID(1); id <= 3; id++ {
		c := newClient(t, sim.ClientConfig(spotProtocol()))
		c.AddSystem(plugin.AfterReceive, plugin.Func(func(*ecs.World) func() {
			return func() { at = append(at, sim.Clock().Since()) }
		}))
		sim.AddClient(id, c, c)
	}
	sim.Run(time.Second)
	require.Len(t, at, 30)
	assert.IsIncreasing(t, at[:4])
	assert.Equal(t, at[0]+100*ms, at[3])
}
