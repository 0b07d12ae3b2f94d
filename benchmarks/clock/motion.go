package clock

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// motionIntervals are the send intervals of the groups, in ticks.
var motionIntervals = [...]int{1, 2, 6}

// lossPackets is how many later packets have to be acknowledged for a packet to count as lost.
const lossPackets = 3

// motionRun simulates a server that sends moving groups, and a client that shows them, in virtual
// time. The server sends a packet in each tick. A group is in every n-th one, and in the next one
// after its newest packet is known to be lost. Of the client there is only the clock.
type motionRun struct {
	net    *motionNetwork
	rng    *rand.Rand
	clock  *timesync.Client
	meter  *timesync.Meter
	server motionHost
	client motionHost
	ticks  int           // number of ticks of the server
	ran    time.Duration // when the last one ran
	mine   float64       // the client's clock in ticks
	speed  timesync.Speed
	ways   [2]motionWay // down, up
	groups [len(motionIntervals)]motionGroup
	frames []motionFrame
}

// motionHost is a machine with a clock, and frames that come up to a millisecond late.
type motionHost struct {
	next, phase, step time.Duration
	frames            int
	drift             float64 // how much faster than the true time its clock runs
}

// local converts the true time to that of the machine's clock.
func (h *motionHost) local(at time.Duration) time.Time {
	return clockOrigin.Add(at + time.Duration(float64(at)*h.drift))
}

// pass sets the time of the next frame.
func (h *motionHost) pass(rng *rand.Rand) {
	h.frames++
	h.next = h.phase + time.Duration(float64(h.frames)*float64(h.step)/(1+h.drift)) + time.Duration(rng.Int64N(int64(ms)))
}

// motionGroup is a group of one entity that always moves.
type motionGroup struct {
	lost  time.Duration // when the server will know that its newest packet was lost; 0 if it was not
	value int           // the newest tick of which the client has the value; 0 if it has none
}

// motionPacket is a packet in flight.
type motionPacket struct {
	due  time.Duration
	tick int // number of the server's tick; of a packet up: the client's tick
	body []byte
	has  [len(motionIntervals)]bool // the groups in it
}

// motionFrame is a frame of the client. Times are in the server's ticks.
type motionFrame struct {
	at     time.Duration
	server float64
	groups [len(motionIntervals)]motionShown
}

// motionShown is at which time a group is shown, and the tick of its newest value.
type motionShown struct{ shown, value float64 }

// motionWay is a direction of the network.
type motionWay struct {
	conditioner.Config
	bad     bool
	last    time.Duration
	flights []motionPacket
}

// send sends a packet at a time. It returns when the packet arrives, and whether it is lost.
func (w *motionWay) send(rng *rand.Rand, at time.Duration, p motionPacket, cut bool) (due time.Duration, lost bool) {
	roll := rng.Float64()
	switch {
	case w.LossBurst <= 1:
		w.bad = roll < w.Loss
	case w.bad:
		w.bad = roll >= 1/w.LossBurst
	default:
		w.bad = roll < w.Loss/((1-w.Loss)*w.LossBurst)
	}
	p.due = at + max(w.Latency+time.Duration((2*rng.Float64()-1)*float64(w.Jitter)), 0)
	if w.InOrder {
		p.due = max(p.due, w.last)
		w.last = p.due
	}
	if w.bad || cut {
		return p.due, true
	}
	i := len(w.flights)
	for i > 0 && w.flights[i-1].due > p.due {
		i--
	}
	w.flights = slices.Insert(w.flights, i, p)
	return p.due, false
}

// receive returns the next packet that has arrived by a time.
func (w *motionWay) receive(at time.Duration) (p motionPacket, ok bool) {
	if len(w.flights) == 0 || w.flights[0].due > at {
		return p, false
	}
	p = w.flights[0]
	w.flights = slices.Delete(w.flights, 0, 1)
	return p, true
}

// play simulates a network for a time.
func (n *motionNetwork) play(length time.Duration) *motionRun {
	r := &motionRun{net: n, rng: rand.New(rand.NewPCG(n.seed(), 1)), speed: timesync.Normal}
	r.clock = timesync.NewClient(timesync.ClientConfig{TickRate: n.tickRate})
	r.meter = timesync.NewMeter(timesync.MeterConfig{TickRate: n.tickRate, SendEvery: 1})
	r.server = motionHost{step: time.Second / time.Duration(n.tickRate), drift: n.serverDrift}
	r.client = motionHost{step: time.Second / time.Duration(n.frameRate), drift: n.clientDrift}
	r.client.phase = time.Duration(r.rng.Int64N(int64(r.client.step)))
	r.client.next = r.client.phase
	r.ways = [2]motionWay{{Config: n.link.Down}, {Config: n.link.Up}}
	for at := time.Duration(0); at < length; at = min(r.server.next, r.client.next) {
		if n.event != nil {
			n.event(r, at)
		}
		if r.server.next == at {
			r.server.pass(r.rng)
			r.serverTick(at)
		} else {
			last := r.client.local(r.frameBefore())
			r.client.pass(r.rng)
			r.clientFrame(at, r.client.local(at).Sub(last))
		}
	}
	return r
}

// frameBefore returns the time of the client's last frame.
func (r *motionRun) frameBefore() time.Duration {
	if len(r.frames) == 0 {
		return 0
	}
	return r.frames[len(r.frames)-1].at
}

// tick converts the number of a tick of the server.
func (r *motionRun) tick(number int) entangle.Tick { return r.net.start + entangle.Tick(number) }

// serverTick runs a tick of the server and sends its packet.
func (r *motionRun) serverTick(at time.Duration) {
	if r.net.pause.of(pauseServer, at) {
		return
	}
	r.ticks++
	r.ran = at
	now := r.server.local(at)
	for p, ok := r.ways[1].receive(at); ok; p, ok = r.ways[1].receive(at) {
		r.meter.PacketReceived(entangle.Tick(p.tick), r.tick(r.ticks))
		_ = r.meter.HandleFrame(entangle.Tick(p.tick), p.body, now)
	}
	r.meter.TickRan(r.tick(r.ticks), true)
	p := motionPacket{tick: r.ticks}
	p.body = r.meter.AppendFrame(nil, entangle.MaxPayload, uint16(r.ticks), r.tick(r.ticks), now)
	for i, every := range motionIntervals {
		g := &r.groups[i]
		p.has[i] = r.ticks%every == 0 || g.lost > 0 && g.lost <= at
	}
	due, lost := r.ways[0].send(r.rng, at, p, r.net.pause.of(pauseNetwork, at))
	for i := range r.groups {
		if p.has[i] {
			r.groups[i].lost = 0
			if lost {
				r.groups[i].lost = due + r.ways[1].Latency + lossPackets*r.server.step
			}
		}
	}
}

// clientFrame runs a frame of the client, with the time passed since its last one.
func (r *motionRun) clientFrame(at, passed time.Duration) {
	if r.net.pause.of(pauseClient, at) {
		return
	}
	now := r.client.local(at)
	for p, ok := r.ways[0].receive(at); ok; p, ok = r.ways[0].receive(at) {
		r.clock.PacketReceived(r.tick(p.tick), now)
		if len(p.body) > 0 {
			_ = r.clock.HandleFrame(r.tick(p.tick), p.body, now)
		}
		r.receiveGroups(p)
	}
	r.clock.Show(now)
	r.mine += passed.Seconds() * float64(r.net.tickRate) * float64(r.speed) / float64(timesync.Normal)
	tick := int(r.mine)
	r.clock.FrameRan(entangle.Tick(tick), timesync.Phase((r.mine-float64(tick))*float64(timesync.One)), now)
	if ping := r.clock.AppendFrame(nil, entangle.MaxPayload, 0, entangle.Tick(tick), now); len(ping) > 0 {
		r.ways[1].send(r.rng, at, motionPacket{tick: tick, body: ping}, r.net.pause.of(pauseNetwork, at))
	}
	r.note(at)
	speed, jump := r.clock.Adjust(now)
	r.speed = speed
	r.mine += float64(jump)
}

// receiveGroups handles the groups in a packet.
func (r *motionRun) receiveGroups(p motionPacket) {
	for i, every := range motionIntervals {
		g := &r.groups[i]
		if !p.has[i] || p.tick <= g.value {
			continue
		}
		if g.value > 0 {
			r.clock.SampleReceived(every, r.tick(g.value), r.tick(p.tick))
		}
		g.value = p.tick
	}
}

// note records a frame.
func (r *motionRun) note(at time.Duration) {
	f := motionFrame{at: at, server: float64(r.ticks)}
	if !r.net.pause.of(pauseServer, at) {
		f.server += float64(at-r.ran) / float64(r.server.step)
	}
	for i, every := range motionIntervals {
		tick, fraction := r.clock.Timeline(every)
		f.groups[i] = motionShown{
			shown: float64(r.ticks) + float64(tick.Sub(r.tick(r.ticks))) + float64(fraction),
			value: float64(r.groups[i].value),
		}
	}
	r.frames = append(r.frames, f)
}
