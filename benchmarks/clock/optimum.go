package clock

import (
	"math"
	"time"

	"github.com/entangle-ecs/entangle"
)

// The optimum of a run is the least constant lead of the client's inputs with which at least
// clockShare of them would have arrived in time: the best that a client could do that knows the
// delay of every packet beforehand. A packet that such a client sends in a frame is treated like
// the next packet that the real client sent: it takes as long, or is lost. Each packet carries the
// inputs of all ticks before it, up to clockRedundancy of them.
const (
	clockShare      = 0.999
	clockGrid       = 1.0 / 16 // in ticks
	clockRedundancy = 64
)

// clockReplay replays a part of a record, with constant leads.
type clockReplay struct {
	sends       []clockSend
	first, last entangle.Tick // the server's ticks in that part
	inTime      []bool        // by tick, starting with first
}

// clockSend is a frame of the client: the server's clock at its time, and the first tick that the
// server has yet to run when a packet sent in this frame arrives. next is 0 if the packet is lost.
type clockSend struct {
	server float64
	next   entangle.Tick
}

// replay prepares the part of a record between two times.
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

// reaches returns the first tick that the server has yet to run in the frame that receives a
// packet. The packet is sent at a time and travels as long as packet number way. The result is 0 if
// no frame receives it. near is the frame that received the previous packet, where the search
// begins.
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

// window finds the ticks that are counted: those of the server from a second after the beginning to
// the end. The part contains all sends that could have brought their inputs.
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

// share returns the share of the ticks with an input in time, for a given lead.
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

// clockMost is the highest lead that is tried, in ticks. It is more than a second.
const clockMost = 64

// optimum returns the least lead, in steps of clockGrid, with which enough inputs arrive in time,
// or clockMost.
func (p *clockReplay) optimum() float64 {
	lead := -4.0
	for lead < clockMost && p.share(lead) < clockShare {
		lead += clockGrid
	}
	return lead
}
