package plugin_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport/memory"
)

const step60 = time.Second / 60

// timed is one app with a clock that its own systems advance. It runs frames one after another, as
// a loop at the tick rate does, and collects the log.
type timed struct {
	now   time.Time
	reads int       // number of readings of the clock
	next  time.Time // start of the next frame
	log   bytes.Buffer
	work  time.Duration // duration of a system in FixedMain, per tick
	other time.Duration // duration of another system in FixedMain
	pack  time.Duration // duration of a system in BeforeSend, per frame
	pause time.Duration // pause between the frames
}

func newTimed() *timed {
	start := time.Unix(1_000_000, 0)
	return &timed{now: start, next: start}
}

func (m *timed) clock() time.Time {
	m.reads++
	return m.now
}

func (m *timed) logger() *slog.Logger { return slog.New(slog.NewTextHandler(&m.log, nil)) }

// taking is a system that takes the given time.
type taking struct {
	name string
	m    *timed
	time *time.Duration
}

func (t taking) String() string        { return t.name }
func (t taking) Initialize(*ecs.World) {}
func (t taking) Finalize(*ecs.World)   {}
func (t taking) Update(*ecs.World)     { t.m.now = t.m.now.Add(*t.time) }

func (m *timed) addTo(app plugin.App) {
	app.AddSystem(plugin.FixedMain, taking{"game.Light", m, &m.other})
	app.AddSystem(plugin.FixedMain, taking{"game.Heavy", m, &m.work})
	app.AddSystem(plugin.BeforeSend, taking{"game.Pack", m, &m.pack})
}

// run drives an app until its clock has advanced by d.
func (m *timed) run(app plugin.App, d time.Duration) {
	for until := m.now.Add(d); m.now.Before(until); {
		m.frame(app)
	}
}

// frame waits for the next frame, if it is early, and runs it.
func (m *timed) frame(app plugin.App) {
	if m.now.Before(m.next) {
		m.now = m.next
	}
	m.next = m.now.Add(step60)
	app.Update(app.World())
	m.now = m.now.Add(m.pause)
}

// lines returns the lines logged since the last call, without those of joining clients.
func (m *timed) lines() (lines []string) {
	for line := range strings.Lines(m.log.String()) {
		if !strings.Contains(line, "a client has connected") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	m.log.Reset()
	return lines
}

func (m *timed) server(t *testing.T, perFrame bool) *plugin.Server {
	s, err := plugin.NewServer(plugin.ServerConfig{
		Protocol: testProtocol(), Clock: m.clock, Log: m.logger(), TickPerUpdate: perFrame,
	})
	require.NoError(t, err)
	m.addTo(s)
	w := ecs.NewWorld()
	s.Initialize(&w)
	require.NoError(t, s.Start(memory.NewNetwork().Listener()))
	return s
}

// A server with a system that takes longer than a tick logs that once, with the system, the part of
// the frame and the rate that it achieves. It also logs when it achieves its rate again, and when
// it is too slow again after that.
//
// Proves: S9
func TestAnOverloadedServerSaysSoOnceAndWhatTakesTheTime(t *testing.T) {
	for what, perFrame := range map[string]bool{"by the clock": false, "one tick per update": true} {
		t.Run(what, func(t *testing.T) {
			m := newTimed()
			s := m.server(t, perFrame)
			m.other = time.Millisecond
			m.run(s, 10*time.Second)
			require.Empty(t, m.lines())

			for episode := uint64(1); episode <= 2; episode++ {
				m.work = 29 * time.Millisecond
				m.run(s, 30*time.Second)
				lines := m.lines()
				require.Len(t, lines, 1)
				assert.Contains(t, lines[0], "level=WARN")
				assert.Contains(t, lines[0], "the server cannot keep its tick rate")
				assert.Contains(t, lines[0], "rate=60 kept=33.3")
				assert.Contains(t, lines[0], "part=simulation percent=100")
				assert.Contains(t, lines[0], `system=game.Heavy "took per tick"=29ms`)
				stats := s.Stats().Overload
				assert.Equal(t, episode, stats.Episodes)
				assert.True(t, stats.Overloaded)
				assert.InDelta(t, 33.3, stats.Kept, 0.01)
				assert.Equal(t, "simulation", stats.Part)
				assert.Equal(t, "game.Heavy", stats.System)
				assert.InDelta(t, float64(episode)*30*(60-33.3), float64(stats.TicksDropped), 60, "but for what is tolerated")
				assert.InDelta(t, float64(stats.TicksDropped)/60, stats.Behind.Seconds(), 0.001)

				m.work = 0
				m.run(s, 30*time.Second)
				lines = m.lines()
				require.Len(t, lines, 1)
				assert.Contains(t, lines[0], "level=INFO")
				assert.Contains(t, lines[0], "the server keeps its tick rate again")
				assert.False(t, s.Stats().Overload.Overloaded)
				assert.Equal(t, stats.Part, s.Stats().Overload.Part, "what the last one was is kept")
			}
		})
	}
}

// An app that is slightly too slow drops a tick from time to time. That counts as one overload.
//
// Proves: S9
func TestAnOverloadByALittleIsOne(t *testing.T) {
	m := newTimed()
	s := m.server(t, false)
	m.work = 17 * time.Millisecond
	m.run(s, time.Minute)
	lines := m.lines()
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], "kept=58.8")
	assert.EqualValues(t, 1, s.Stats().Overload.Episodes)
}

// The time may be spent in the work of a frame, or by the program between frames.
//
// Proves: S9
func TestAnOverloadNamesThePartThatTakesTheTime(t *testing.T) {
	for _, c := range []struct {
		set  func(m *timed)
		says []string
		not  string
	}{
		{func(m *timed) { m.pack, m.work = 200*time.Millisecond, time.Millisecond }, []string{"part=send", "system=game.Pack"}, "Update is called too late"},
		{func(m *timed) { m.pause = 200 * time.Millisecond }, []string{`part="outside of Update" percent=100`, "Update is called too late"}, "cheaper"},
		{func(m *timed) { m.pause, m.work = 200*time.Millisecond, time.Millisecond }, []string{`part="outside of Update" percent=95`, "Update is called too late"}, "system="},
	} {
		m := newTimed()
		s := m.server(t, false)
		c.set(m)
		m.run(s, 10*time.Second)
		lines := m.lines()
		require.Len(t, lines, 1)
		for _, text := range c.says {
			assert.Contains(t, lines[0], text)
		}
		assert.NotContains(t, lines[0], c.not)
	}
}

// The figures of an overload are measured from its beginning: the ticks, times and system of the
// previous overload do not count.
//
// Proves: S9
func TestEachOverloadIsMeasuredByItself(t *testing.T) {
	m := newTimed()
	s := m.server(t, false)
	m.work = 30 * time.Millisecond
	m.run(s, 30*time.Second)
	m.work = 0
	m.run(s, 30*time.Second)
	require.Len(t, m.lines(), 2)
	require.Equal(t, "game.Heavy", s.Stats().Overload.System)

	m.pause = 200 * time.Millisecond // twelve ticks, eight of which run
	m.run(s, 10*time.Second)
	lines := m.lines()
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], `dropped=24 part="outside of Update" percent=100`)
	assert.NotContains(t, lines[0], "system=")
	assert.Empty(t, s.Stats().Overload.System)
	m.pause = 0
	m.run(s, 10*time.Second)
	lines = m.lines()
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], "dropped=200 ", "in ten seconds")
}

// An overload is logged even if the clock is set back while ticks are being dropped.
//
// Proves: S9
func TestAClockThatIsSetBackHidesNoOverload(t *testing.T) {
	m := newTimed()
	s := m.server(t, false)
	m.work = 30 * time.Millisecond
	m.run(s, 500*time.Millisecond)
	require.NotZero(t, s.Stats().Overload.TicksDropped)
	require.Empty(t, m.lines())
	m.now = m.now.Add(-time.Hour)
	m.next = m.now
	m.run(s, 10*time.Second)
	assert.Len(t, m.lines(), 1)
}

// Systems are measured one by one, which needs readings of the clock, only while ticks are being
// dropped. The measurement stops if that turns out to be no overload.
func TestSystemsAreMeasuredOnlyWhileTicksAreDropped(t *testing.T) {
	m := newTimed()
	s := m.server(t, false)
	second := func() int {
		before := m.reads
		m.run(s, time.Second)
		return m.reads - before
	}
	second()
	usual := second()
	m.pause = time.Second
	m.frame(s)
	m.pause = 0
	second()
	assert.Greater(t, second(), usual)
	m.run(s, 5*time.Second)
	assert.Equal(t, usual, second())
	assert.Empty(t, m.lines())
}

// An app that runs one tick per update drops no tick when it is called up to one percent too
// slowly, or late by a number of ticks that later ones make up for.
//
// Proves: S9
func TestATickPerUpdateMayBeALittleSlow(t *testing.T) {
	for percent, dropped := range map[float64]float64{0: 0, 0.9: 0, 3: 0.02 * 60 * 60} {
		m := newTimed()
		s := m.server(t, true)
		m.pause = time.Duration(percent / 100 * float64(step60))
		for range 60 * 60 {
			m.next = m.now.Add(step60)
			m.now = m.next
			s.Update(s.World())
			m.now = m.now.Add(m.pause)
		}
		m.pause = 0
		assert.InDelta(t, dropped, s.Stats().Overload.TicksDropped, 12, "%v %% too slow", percent)
	}
	m := newTimed()
	s := m.server(t, true)
	m.run(s, 10*time.Second)
	m.pause = 100 * time.Millisecond
	m.frame(s)
	m.pause = 0
	m.run(s, 10*time.Second)
	assert.Zero(t, s.Stats().Overload.TicksDropped)
}

// Neither a healthy app nor one that hangs once logs anything. The dropped ticks are counted, and
// the times of the parts add up.
//
// Proves: S9
func TestOneSlowFrameIsNoOverload(t *testing.T) {
	m := newTimed()
	s := m.server(t, false)
	m.work, m.pack = 3*time.Millisecond, 2*time.Millisecond
	m.run(s, 20*time.Second)
	m.pause = 50 * time.Millisecond // a garbage collection
	m.frame(s)
	m.pause = 0
	m.run(s, 40*time.Second)
	assert.Empty(t, m.lines())
	stats := s.Stats().Overload
	assert.Zero(t, stats.TicksDropped)
	assert.EqualValues(t, uint64(s.Tick())*3, stats.Times.Simulating.Milliseconds())
	assert.Greater(t, stats.Times.Waiting, 30*time.Second)
	assert.Zero(t, stats.Times.Receiving)

	m.pause = 5 * time.Second // a breakpoint
	m.frame(s)
	m.pause = 0
	m.run(s, 20*time.Second)
	assert.Empty(t, m.lines())
	assert.InDelta(t, 5*60-tick.MaxSteps, s.Stats().Overload.TicksDropped, 2)
	assert.Zero(t, s.Stats().Overload.Episodes)
}

// timedPair is a server and a client, each with a clock that its own systems advance.
type timedPair struct {
	*game
	server, client timed
	c              *player
}

func newTimedPair(t *testing.T) *timedPair {
	p := &timedPair{server: *newTimed(), client: *newTimed()}
	p.game = newGameWith(t, func(c *plugin.ServerConfig) { c.Clock, c.Log = p.server.clock, p.server.logger() },
		func(s *plugin.Server) { p.server.addTo(s) })
	c, err := plugin.NewClient(plugin.ClientConfig{Protocol: testProtocol(), Clock: p.client.clock, Log: p.client.logger()})
	require.NoError(t, err)
	p.client.addTo(c)
	w := ecs.NewWorld()
	c.Initialize(&w)
	p.c = &player{Client: c, world: &w}
	p.connect(p.c, 1)
	return p
}

// run runs both apps for d, in the order of their clocks.
func (p *timedPair) run(d time.Duration) {
	for until := p.client.now.Add(d); p.client.now.Before(until); {
		at := func(m *timed) time.Time {
			if m.now.Before(m.next) {
				return m.next
			}
			return m.now
		}
		if at(&p.server).After(at(&p.client)) {
			p.client.frame(p.c)
		} else {
			p.server.frame(p.game.server)
		}
	}
}

// When a client's clock is set back because the server stood still, or is too slow for long, the
// client logs once that the server is the cause, and logs the end of it. The server's own log is
// separate.
//
// Proves: S9
func TestAClientSaysThatItsServerFellBehind(t *testing.T) {
	p := newTimedPair(t)
	p.run(20 * time.Second)
	require.True(t, p.c.Stats().Clock.Synced)
	require.Empty(t, p.client.lines())
	require.EqualValues(t, 1, p.c.Stats().Clock.Jumps)

	p.server.pause = 3 * time.Second // the server pauses once
	p.server.frame(p.game.server)
	p.server.pause = 0
	p.run(30 * time.Second)
	lines := p.client.lines()
	require.Len(t, lines, 2)
	assert.Contains(t, lines[0], "level=WARN")
	assert.Contains(t, lines[0], "because the server fell behind")
	assert.Contains(t, lines[1], "level=INFO")
	assert.Contains(t, lines[1], "the server keeps its tick rate again")
	assert.Empty(t, p.server.lines())
	stats := p.c.Stats()
	assert.EqualValues(t, 1, stats.ServerOverload.Jumps)
	assert.InDelta(t, 3*60-tick.MaxSteps, stats.ServerOverload.Ticks, 5)
	assert.Zero(t, stats.Overload.TicksDropped)

	p.server.work = 30 * time.Millisecond
	p.run(30 * time.Second)
	lines = p.client.lines()
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], "because the server fell behind")
	assert.Greater(t, p.c.Stats().ServerOverload.Jumps, uint64(3))
	assert.EqualValues(t, 2, p.c.Stats().ServerOverload.Episodes)
	require.Len(t, p.server.lines(), 1)
	p.server.work = 0
	p.run(30 * time.Second)
	lines = p.client.lines()
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], "the server keeps its tick rate again")
	assert.Zero(t, p.c.Stats().Overload.Episodes)
}

// The lag of the server on one connection does not carry over to the next one.
//
// Proves: S9
func TestAServerThatFellBehindIsForgottenWithItsConnection(t *testing.T) {
	p := newTimedPair(t)
	p.run(20 * time.Second)
	p.server.pause = 3 * time.Second
	p.server.frame(p.game.server)
	p.server.pause = 0
	p.run(9 * time.Second)
	require.Len(t, p.client.lines(), 1)
	require.True(t, p.c.Stats().ServerOverload.Overloaded)
	p.c.Disconnect()
	p.run(time.Second)
	assert.False(t, p.c.Stats().ServerOverload.Overloaded)
	p.run(20 * time.Second)
	assert.Empty(t, p.client.lines())
}

// A client that is too slow itself logs its own overload and blames its server for nothing. The
// server logs nothing either.
//
// Proves: S9
func TestAnOverloadedClientNamesItself(t *testing.T) {
	p := newTimedPair(t)
	p.run(10 * time.Second)
	p.client.work = 30 * time.Millisecond
	p.run(20 * time.Second)
	lines := p.client.lines()
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], "the client cannot keep its tick rate")
	assert.Contains(t, lines[0], "system=game.Heavy")
	p.client.work = 0
	p.run(20 * time.Second)
	lines = p.client.lines()
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], "the client keeps its tick rate again")
	assert.Zero(t, p.c.Stats().ServerOverload)
	assert.Empty(t, p.server.lines())
}

// A server and a client that keep up log nothing in a minute, even with one frame of 50 ms, and
// nothing when the client hangs once.
//
// Proves: S9
func TestAHealthyPairLogsNothing(t *testing.T) {
	p := newTimedPair(t)
	p.server.work, p.client.work = 4*time.Millisecond, 4*time.Millisecond
	p.run(20 * time.Second)
	for _, m := range []*timed{&p.server, &p.client} {
		m.work = 50 * time.Millisecond
		p.run(step60)
		m.work = 4 * time.Millisecond
		p.run(20 * time.Second)
	}
	p.client.pause = 3 * time.Second
	p.client.frame(p.c)
	p.client.pause = 0
	p.run(20 * time.Second)
	assert.Empty(t, p.server.lines())
	assert.Empty(t, p.client.lines())
	assert.Zero(t, p.game.server.Stats().Overload.TicksDropped)
	assert.NotZero(t, p.c.Stats().Overload.TicksDropped)
	assert.Zero(t, p.c.Stats().Overload.Episodes)
}
