package timesync_test

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
)

var firstSeed = flag.Uint64("seed", 1, "the seed of the networks")

const (
	rate     = 60 // ticks per second
	maxSteps = 8  // of a frame
	ahead    = 64 // how many ticks ahead of its own a server accepts inputs
)

// upward is a packet from the client. Each frame has one, even if it was not really sent, so that
// its fate is known.
type upward struct {
	due    time.Duration
	frame  int // number of the client's frame
	sent   bool
	tick   entangle.Tick
	ping   []byte
	newest entangle.Tick
	ticks  int
}

type downward struct {
	due  time.Duration
	tick entangle.Tick
	body []byte
	pkt  uint16
	has  bool // the group is in it
}

type verdict struct {
	due  time.Duration
	pkt  uint16
	lost bool
}

// movingGroup is a group of one entity that always moves. It is in each packet of a tick that
// divides by its interval, and in the next one after its newest packet is known to be lost.
type movingGroup struct {
	every  int    // send interval in ticks; 0 if there is no group
	pkt    uint16 // its newest packet
	resend bool
}

// moment records a frame of the client.
type moment struct {
	at     time.Duration
	server float64 // time of the server's clock
	lead   float64 // of the client's clock over the server's
	came   bool    // the packet of this frame arrived
	next   int     // the server's next tick when it arrived
	speed  timesync.Speed
	jump   int32
	fell   bool    // the clock jumped because the server fell behind
	shown  float64 // the shown time of the group, or of the base if there is no group
	newest float64 // the newest value of the group, or the newest packet
}

// network simulates a client and a server, frame by frame.
type network struct {
	up, down path
	server   machine
	client   machine
	start    entangle.Tick // of the server; the client begins at 0
	every    int           // send interval of the server
	idle     func(time.Duration) bool
	noInput  func(time.Duration) bool // whether the client sends no inputs at a time
	delay    timesync.Delay
	repeat   int // number of ticks in an input frame
	group    movingGroup

	clock   *timesync.Client
	screen  timesync.Screen
	meter   *timesync.Meter
	ups     link
	downs   link
	flying  []upward
	falling []downward
	verdict []verdict
	pkt     uint16
	speed   int64
	newest  entangle.Tick // tick of the newest packet, or of the newest value of the group
	some    bool
	written entangle.Tick // newest input
	writing bool
	made    map[entangle.Tick]bool

	got     map[entangle.Tick]bool
	moments []moment
	ran     []ran
	each    func(at time.Duration) // called after each frame of the client
}

// ran is a tick of the server.
type ran struct {
	at   time.Duration
	tick entangle.Tick
	had  bool
}

var epoch = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// run simulates a network for a time.
func (n *network) run(t testing.TB, seed uint64, length time.Duration) {
	n.begin(seed)
	for {
		s, c := n.server.next(), n.client.next()
		if min(s, c) >= length {
			break
		}
		if s <= c {
			n.serverFrame(t, s)
		} else {
			n.clientFrame(t, c)
		}
	}
	if t.Failed() {
		t.Logf("repeat with: go test ./internal/core/timesync -run '^%s$' -seed %d", t.Name(), seed)
	}
}

func (n *network) begin(seed uint64) {
	for _, m := range []*machine{&n.server, &n.client} {
		if m.fps == 0 {
			m.fps = 60
		}
	}
	if n.every == 0 {
		n.every = 3
	}
	if n.repeat == 0 {
		n.repeat = 20
	}
	n.server.tick = n.start
	n.clock = timesync.NewClient(timesync.ClientConfig{TickRate: rate, Delay: n.delay})
	n.meter = timesync.NewMeter(timesync.MeterConfig{TickRate: rate, SendEvery: n.every})
	n.ups = link{path: n.up, rng: rand.New(rand.NewPCG(seed, 1))}
	n.downs = link{path: n.down, rng: rand.New(rand.NewPCG(seed, 2))}
	n.got, n.made = map[entangle.Tick]bool{}, map[entangle.Tick]bool{}
	n.speed = 1000
}

func (n *network) serverFrame(t testing.TB, at time.Duration) {
	m := &n.server
	m.frames++
	if m.paused != nil && m.paused(at) {
		return
	}
	now := epoch.Add(m.local(at))
	n.takeVerdicts(at)
	n.takeUp(t, at, now)
	sends := false
	for range m.step(m.local(at), 1000) {
		m.tick++
		had := n.got[m.tick]
		delete(n.got, m.tick)
		n.meter.TickRan(m.tick, had)
		n.ran = append(n.ran, ran{at, m.tick, had})
		sends = sends || uint32(m.tick)%uint32(n.every) == 0
	}
	sends = sends && (n.idle == nil || !n.idle(at))
	if sends || n.meter.Urgent(now) {
		n.sendDown(at, now)
	}
}

func (n *network) takeUp(t testing.TB, at time.Duration, now time.Time) {
	next := n.server.tick + 1
	for {
		i := earliest(n.flying, func(p upward) time.Duration { return p.due })
		if i < 0 || n.flying[i].due > at {
			return
		}
		p := n.flying[i]
		n.flying[i] = n.flying[len(n.flying)-1]
		n.flying = n.flying[:len(n.flying)-1]
		n.moments[p.frame].came, n.moments[p.frame].next = true, n.server.total+1
		if !p.sent {
			continue
		}
		n.meter.PacketReceived(p.tick, next)
		if len(p.ping) > 0 {
			require.NoError(t, n.meter.HandleFrame(p.tick, p.ping, now))
		}
		for k := p.ticks - 1; k >= 0; k-- {
			n.bring(p.newest-entangle.Tick(k), next)
		}
	}
}

func (n *network) bring(tick, next entangle.Tick) {
	early := tick.Sub(next)
	if early >= ahead || early < -256 || n.got[tick] || !n.made[tick] {
		return
	}
	if early >= 0 {
		n.got[tick] = true
		n.meter.InputReceived(tick, next)
	} else if !n.had(tick, next) {
		n.meter.InputReceived(tick, next)
	}
}

// had reports whether the input for a tick that has run was received, even if it was late.
func (n *network) had(tick, next entangle.Tick) bool {
	i := len(n.ran) - int(next.Sub(tick))
	if i < 0 || n.ran[i].tick != tick {
		return true
	}
	return n.ran[i].had
}

func (n *network) sendDown(at time.Duration, now time.Time) {
	n.pkt++
	body := n.meter.AppendFrame(nil, 1000, n.pkt, n.server.tick, now)
	g := &n.group
	has := g.every == 0 || g.resend || n.server.total%g.every == 0
	if has {
		g.pkt, g.resend = n.pkt, false
	}
	due, ok := n.downs.fate(at)
	if ok {
		n.falling = append(n.falling, downward{due, n.server.tick, body, n.pkt, has})
		n.verdict = append(n.verdict, verdict{due + n.up.latency, n.pkt, false})
	} else {
		n.verdict = append(n.verdict, verdict{due + n.up.latency + 100*time.Millisecond, n.pkt, true})
	}
}

func (n *network) takeVerdicts(at time.Duration) {
	kept := n.verdict[:0]
	for _, v := range n.verdict {
		switch {
		case v.due > at:
			kept = append(kept, v)
		case v.lost:
			n.meter.HandleLost(v.pkt)
			n.group.resend = n.group.resend || v.pkt == n.group.pkt
		default:
			n.meter.HandleAcked(v.pkt)
		}
	}
	n.verdict = kept
}

func (n *network) clientFrame(t testing.TB, at time.Duration) {
	m := &n.client
	m.frames++
	if m.paused != nil && m.paused(at) {
		return
	}
	now := epoch.Add(m.local(at))
	n.takeDown(t, at, now)
	n.clock.Show(now)
	steps := m.step(m.local(at), n.speed)
	m.tick += entangle.Tick(steps)
	n.clock.FrameRan(m.tick, m.overstep(), now)
	n.sendUp(at, now, steps)
	n.note(at, now)
	speed, jump := n.clock.Adjust(now)
	n.speed = int64(speed)
	m.tick += entangle.Tick(jump)
	if jump != 0 {
		n.written += entangle.Tick(jump)
	}
	last := &n.moments[len(n.moments)-1]
	last.speed, last.jump = speed, jump
	last.fell = jump != 0 && n.clock.ServerFell()
	if n.each != nil {
		n.each(at)
	}
}

func (n *network) takeDown(t testing.TB, at time.Duration, now time.Time) {
	for {
		i := earliest(n.falling, func(p downward) time.Duration { return p.due })
		if i < 0 || n.falling[i].due > at {
			return
		}
		p := n.falling[i]
		n.falling[i] = n.falling[len(n.falling)-1]
		n.falling = n.falling[:len(n.falling)-1]
		n.clock.PacketReceived(p.tick, now)
		n.takeValue(p)
		if len(p.body) > 0 {
			require.NoError(t, n.clock.HandleFrame(p.tick, p.body, now))
		}
	}
}

func (n *network) takeValue(p downward) {
	if !p.has || n.some && p.tick.Sub(n.newest) <= 0 {
		return
	}
	if n.some && n.group.every > 0 {
		n.clock.SampleReceived(n.group.every, n.newest, p.tick)
	}
	n.newest, n.some = p.tick, true
}

func earliest[T any](of []T, due func(T) time.Duration) int {
	best := -1
	for i := range of {
		if best < 0 || due(of[i]) < due(of[best]) {
			best = i
		}
	}
	return best
}

func (n *network) sendUp(at time.Duration, now time.Time, steps int) {
	p := upward{frame: len(n.moments), tick: n.client.tick}
	inputs := steps > 0 && n.clock.Synced() && (n.noInput == nil || !n.noInput(at))
	p.sent = inputs || n.clock.Urgent(now)
	if inputs {
		newest := n.client.tick + entangle.Tick(n.clock.Delay())
		if !n.writing {
			n.written, n.writing = newest-1, true
		}
		for newest.Sub(n.written) > 0 {
			n.written++
			n.made[n.written] = true
		}
		p.newest, p.ticks = n.written, n.repeat
		n.clock.InputsSent(p.newest, p.ticks)
	}
	if p.sent {
		p.ping = n.clock.AppendFrame(nil, 100, 1, n.client.tick, now)
	}
	due, ok := n.ups.fate(at)
	if p.due = due; ok {
		n.flying = append(n.flying, p)
	}
}

func (n *network) note(at time.Duration, now time.Time) {
	server := float64(n.server.total) + n.server.overstep().Ticks() +
		(n.server.local(at)-n.server.last).Seconds()*rate
	client := n.client.overstep().Ticks() + float64(n.client.tick.Sub(n.server.tick)) + float64(n.server.total)
	into := func(tick entangle.Tick, fraction float64) float64 {
		return float64(tick.Sub(n.server.tick)) + fraction + float64(n.server.total)
	}
	n.clock.Screen(&n.screen)
	shown := into(n.screen.Base.Tick(), float64(n.screen.Base.Fraction())/256)
	if n.group.every > 0 {
		tick, part := n.clock.Timeline(n.group.every)
		shown = into(tick, float64(part))
	}
	n.moments = append(n.moments, moment{
		at: at, server: server, lead: client - server, speed: timesync.Normal,
		shown: shown, newest: into(n.newest, 0),
	})
}
