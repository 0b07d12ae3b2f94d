package clock

import (
	"math"
	"time"

	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/plugin"
)

// clockResult is the results of a part of a run. Leads are in ticks.
type clockResult struct {
	lead    leadFigures
	delay   float64
	optimum float64
	inTime  float64 // share of the server's ticks
	late    uint64
	missing uint64
	speed   speedFigures
	jumps   int // in the whole run, without the first one
	synced  time.Duration
	steady  time.Duration
	clock   byteRates
	inputs  byteRates
}

// leadFigures describe how far the client's clock was ahead.
type leadFigures struct{ mean, least, most float64 }

// speedFigures describe how fast the client's clock ran. turns counts how often per minute the
// speed changed between faster and slower.
type speedFigures struct{ slowest, fastest, turns float64 }

// byteRates are bytes per second in both directions, frame heads included.
type byteRates struct{ up, down float64 }

// over returns by how many ticks the lead plus the input delay exceeds the optimum.
func (c *clockResult) over() float64 { return c.lead.mean + c.delay - c.optimum }

// clockPart is where a part of a run began, and what had been counted before.
type clockPart struct {
	from  time.Duration
	bytes [2][channel.MaxID + 1]int
	info  plugin.ClientInfo
}

// beginPart begins the part that is measured.
func (r *clockRun) beginPart() {
	r.part = clockPart{from: r.now, bytes: r.record.bytes, info: r.info()}
}

// info returns what the server knows of the client.
func (r *clockRun) info() (info plugin.ClientInfo) {
	for _, c := range r.server.Clients() {
		info = c
	}
	return info
}

// result computes the results of the part that is measured.
func (r *clockRun) result() clockResult {
	replay := r.record.replay(r.part.from, r.now)
	info, before := r.info(), r.part.info
	c := clockResult{
		optimum: replay.optimum(),
		inTime:  r.inputs.between(replay.first, replay.last),
		late:    info.InputsLate - before.InputsLate,
		missing: info.InputsMissing - before.InputsMissing,
		jumps:   int(r.client.Stats().Clock.Jumps) - 1,
		synced:  r.synced,
	}
	c.frames(r.record.clients, r.part.from, r.now)
	c.steady = r.steady(c.lead.mean)
	c.clock, c.inputs = r.rates(peer.Clock), r.rates(peer.Inputs)
	return c
}

// rates returns the bytes of a channel per second, in both directions.
func (r *clockRun) rates(id channel.ID) byteRates { return byteRates{r.rate(0, id), r.rate(1, id)} }

func (r *clockRun) rate(way int, id channel.ID) float64 {
	return float64(r.record.bytes[way][id]-r.part.bytes[way][id]) / (r.now - r.part.from).Seconds()
}

// frames fills in the results that follow from the client's frames.
func (c *clockResult) frames(all []clockClientFrame, from, to time.Duration) {
	lead, speed := &c.lead, &c.speed
	lead.least, lead.most, speed.slowest, speed.fastest = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	n, turns, way := 0.0, 0, 0.0
	for _, f := range all {
		if f.at < from || f.at >= to {
			continue
		}
		n++
		lead.mean += f.lead
		c.delay += float64(f.delay)
		lead.least, lead.most = min(lead.least, f.lead), max(lead.most, f.lead)
		speed.slowest, speed.fastest = min(speed.slowest, f.speed), max(speed.fastest, f.speed)
		if d := f.speed - 1; d != 0 {
			if d*way < 0 {
				turns++
			}
			way = d
		}
	}
	lead.mean, c.delay = lead.mean/n, c.delay/n
	speed.turns = float64(turns) / (to - from).Minutes()
}

// nearby is how many ticks a steady lead may be away from its mean.
const nearby = 3

// steady returns the time until the client's lead stays near its final value, counted from
// connecting or from a change of the network.
func (r *clockRun) steady(lead float64) time.Duration {
	since := r.opened
	if len(r.net.events) > 0 {
		since = r.net.events[len(r.net.events)-1].at
	}
	last := since
	for _, f := range r.record.clients {
		if f.at >= since && f.at < r.part.from && math.Abs(f.lead-lead) > nearby {
			last = f.at
		}
	}
	return last - since
}

// figures returns the columns of a row, for machine-readable output.
func (c *clockResult) figures() map[string]float64 {
	all := map[string]float64{}
	for _, column := range clockColumns {
		all[column.name] = column.value(c)
	}
	return all
}

// size returns the bytes of the clock's and the inputs' channels, in both directions.
func (r *clockRun) size() (sum int) {
	for _, way := range r.record.bytes {
		sum += way[peer.Clock] + way[peer.Inputs]
	}
	return sum
}
