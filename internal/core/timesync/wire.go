package timesync

import (
	"errors"
	"math/bits"

	bitio "github.com/entangle-ecs/entangle/protocol/bits"
)

const (
	// MaxReport is the most ticks in one report.
	MaxReport = 64

	// MaxMargin is the greatest absolute value of a margin in a report, in ticks.
	MaxMargin = 2047

	// MaxAge is the greatest age of a pong in ticks.
	MaxAge = 1024

	// MaxSendEvery is the greatest send interval in ticks.
	MaxSendEvery = 1 << 12

	// maxFrame is an upper bound of the size of a frame from the server.
	maxFrame = 160

	// maxPong is the size of the longest frame that has only a pong.
	maxPong = 6

	pingSize = 1
)

// ErrFrame is returned for an invalid frame of this package.
var ErrFrame = errors.New("timesync: a clock frame that no peer of this version writes")

// margin is how many ticks early an input arrived, or one of the constants below.
type margin int16

const (
	// unknown means that the input may still arrive.
	unknown margin = -1 << 15
	// missing means that the tick has run without its input.
	missing margin = unknown + 1
)

// pong answers a ping. It tells which tick the server was to run next when the ping arrived.
type pong struct {
	number uint8
	age    uint64 // the tick after the packet's, minus that next tick
	every  uint64 // the server's send interval in ticks
}

// report has the margins of the inputs for consecutive ticks.
type report struct {
	back    int64 // the tick in the packet's header minus the last reported one
	n       int   // number of ticks
	margins [MaxReport]margin
}

// serverFrame is a frame from the server.
type serverFrame struct {
	pong               pong
	report             report
	hasPong, hasReport bool
}

func (f *serverFrame) appendTo(dst []byte) []byte {
	var w bitio.Writer
	w.Reset(dst)
	w.Bool(f.hasPong)
	w.Bool(f.hasReport)
	if f.hasPong {
		w.Bits(uint64(f.pong.number), 8)
		w.Uvarint(f.pong.age)
		w.Uvarint(f.pong.every)
	}
	if f.hasReport {
		f.report.appendTo(&w)
	}
	return w.Finish()
}

func (f *serverFrame) parse(b []byte) error {
	if len(b) > maxFrame {
		return ErrFrame
	}
	var r bitio.Reader
	r.Reset(b)
	f.hasPong, f.hasReport = r.Bool(), r.Bool()
	if !f.hasPong && !f.hasReport {
		return ErrFrame
	}
	if f.hasPong {
		f.pong = pong{number: uint8(r.Bits(8)), age: r.Uvarint(), every: r.Uvarint()}
		if f.pong.age > MaxAge || f.pong.every == 0 || f.pong.every > MaxSendEvery {
			return ErrFrame
		}
	}
	if f.hasReport && !f.report.parse(&r) {
		return ErrFrame
	}
	return r.End()
}

// shape describes how the margins of a report are encoded: as differences from the least one.
type shape struct {
	least margin
	first uint64 // the code of least: 0, or 2 if some margins are unknown or missing
	width uint   // number of bits of a code
}

func (p *report) shape() shape {
	least, most, holes, some := margin(0), margin(0), false, false
	for _, m := range p.margins[:p.n] {
		switch {
		case m <= missing:
			holes = true
		case !some:
			least, most, some = m, m, true
		default:
			least, most = min(least, m), max(most, m)
		}
	}
	s := shape{least: least}
	if holes {
		s.first = 2
	}
	top := s.first + uint64(most-least)
	if !some {
		top = 1
	}
	s.width = uint(bits.Len64(top))
	return s
}

func (p *report) appendTo(w *bitio.Writer) {
	s := p.shape()
	w.Varint(p.back)
	w.Bits(uint64(p.n-1), 6)
	w.Varint(int64(s.least))
	w.Bool(s.first > 0)
	w.Bits(uint64(s.width), 4)
	for _, m := range p.margins[:p.n] {
		w.Bits(s.code(m), s.width)
	}
}

func (s shape) code(m margin) uint64 {
	if m <= missing {
		return uint64(m - unknown)
	}
	return s.first + uint64(m-s.least)
}

func (s shape) margin(code uint64) margin {
	if code < s.first {
		return unknown + margin(code)
	}
	return s.least + margin(code-s.first)
}

// parse reads a report. It refuses one that is not in its shortest encoding.
func (p *report) parse(r *bitio.Reader) bool {
	p.back = r.Varint()
	p.n = int(r.Bits(6)) + 1
	least := r.Varint()
	s := shape{least: margin(least)}
	if r.Bool() {
		s.first = 2
	}
	s.width = uint(r.Bits(4))
	if p.back < -MaxMargin || p.back > MaxMargin || least < -MaxMargin || least > MaxMargin || s.width > 13 {
		return false
	}
	for i := range p.margins[:p.n] {
		p.margins[i] = s.margin(r.Bits(s.width))
		if p.margins[i] > MaxMargin {
			return false
		}
	}
	return r.Err() == nil && p.shape() == s
}
