package clock

import (
	"math"
	"time"

	"github.com/entangle-ecs/entangle"
)

// The optimum of a run is the least constant lead of the client's inputs with which
// at least clockShare of them would have come in time: what a client could do that
// knows the delay of every packet beforehand. A packet that a frame of that client
// sends fares as the next one that the real client sent: takes as long, or is lost.
// Each carries the ticks of all before it, up to clockRedundancy of them.
const (
	clockShare      = 0.999
	clockGrid       = 1.0 / 16 // of a tick
	clockRedundancy = 64
)

// clockReplay runs a part of a record again, with constant leads.
type clockReplay struct {
	sends       []clockSend
	first, last entangle.Tick // of the server in that part
	inTime      []bool        // by tick, from first
}

// clockSend is a frame of the client: the server's clock at its time, and the next tick
// of the server's frame that a packet sent in it reaches; 0 if it is lost.
type clockSend struct {
	server float64
	next   entangle.Tick
}

// replay prepares the part of a record from one time to another.
func (r *clockRecord) replay(from, to time.Duration) *clockReplay {
	p := &clockReplay{}
	way, frame := 0, 0
	for _, c := range r.clients {
		if c.at < from || c.at >= to {
			continue
		}
		for way < len(r.ways)-1 && r.ways[way].sent < c.at {
			way++
		}
		p.sends = append(p.sends, clockSend{server: c.server, next: r.reaches(c.at, way, &frame)})
	}
	p.window(r, from, to)
	return p
}

// reaches returns the next tick of the server's frame that takes a packet that is sent
// at a time and fares as another, 0 if none does. The frame looked at is near the one that took the
// packet before.
func (r *clockRecord) reaches(at time.Duration, way int, near *int) entangle.Tick {
	w := r.ways[way]
	if w.arrived == 0 {
		return 0
	}
	due, i := at+w.arrived-w.sent, *near
	for i > 0 && r.servers[i-1].at >= due {
		i--
	}
	for i < len(r.servers) && r.servers[i].at < due {
		i++
	}
	if i == len(r.servers) {
		return 0
	}
	*near = i
	return r.servers[i].next
}

// window finds the ticks that count: those of the server from a second after the
// beginning, when all sends are in the part that could have brought them, to the end.
func (p *clockReplay) window(r *clockRecord, from, to time.Duration) {
	for _, f := range r.servers {
		if f.at >= from+time.Second && f.at < to {
			if p.first == 0 {
				p.first = f.next
			}
			p.last = f.next
		}
	}
	p.inTime = make([]bool, p.last-p.first)
}

// share returns which part of the ticks comes in time with a lead.
func (p *clockReplay) share(lead float64) float64 {
	clear(p.inTime)
	newest := entangle.Tick(0)
	for _, s := range p.sends {
		tick := entangle.Tick(max(0, math.Floor(s.server+lead)))
		if tick <= newest {
			continue
		}
		newest = tick
		if s.next == 0 {
			continue
		}
		least := max(s.next, tick-min(tick, clockRedundancy-1), p.first)
		for t := least; t <= tick && t < p.last; t++ {
			p.inTime[t-p.first] = true
		}
	}
	sum := 0
	for _, in := range p.inTime {
		if in {
			sum++
		}
	}
	return float64(sum) / float64(max(1, len(p.inTime)))
}

// clockMost is the highest lead that is tried, in ticks: more than a second.
const clockMost = 64

// optimum returns the least lead on the grid with which enough comes in time, or clockMost.
func (p *clockReplay) optimum() float64 {
	lead := -4.0
	for lead < clockMost && p.share(lead) < clockShare {
		lead += clockGrid
	}
	return lead
}
