package timesync

import (
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle"
)

// MeterConfig is what a meter has to know.
type MeterConfig struct {
	// TickRate is the ticks per second, 1 to MaxTickRate.
	TickRate int
	// SendEvery is the server's ticks from packet to packet, 1 to MaxSendEvery. 0: 1.
	SendEvery int
}

// Meter measures at a server how early the packets and inputs of one client come, and
// tells it.
type Meter struct {
	every int
	tick  entangle.Tick // of the last packet
	next  entangle.Tick // the server's, when it came
	heard bool
	asked struct {
		some   bool
		number uint8
		next   entangle.Tick
		at     time.Time
	}
	ledger ledger
	sent   reports
	frame  words
	stats  MeterStats
	recent recent
	active bool // an input came
}

// NewMeter returns a meter for a client that has just come. It panics on a configuration
// that cannot be.
func NewMeter(cfg MeterConfig) *Meter {
	if cfg.TickRate < 1 || cfg.TickRate > MaxTickRate {
		panic(fmt.Sprintf("timesync: MeterConfig.TickRate is %d; it must be 1 to %d", cfg.TickRate, MaxTickRate))
	}
	if cfg.SendEvery < 0 || cfg.SendEvery > MaxSendEvery {
		panic(fmt.Sprintf("timesync: MeterConfig.SendEvery is %d; it must be 0 to %d", cfg.SendEvery, MaxSendEvery))
	}
	return &Meter{every: max(cfg.SendEvery, 1), ledger: ledger{patience: int32(max(cfg.TickRate/4, 4))}}
}

// Packet tells of a data packet with the header tick, in a frame whose next tick to run is
// next. Call it before the frames of the packet are handled.
func (m *Meter) Packet(tick, next entangle.Tick) { m.tick, m.next, m.heard = tick, next, true }

// Brought tells that the client's input for tick came for the first time, in a frame whose
// next tick to run is next.
func (m *Meter) Brought(tick, next entangle.Tick) {
	m.active = true
	early := tick.Sub(next)
	if early < 0 {
		m.stats.Late++
	}
	m.ledger.bring(tick, margin(min(max(early, -MaxMargin), MaxMargin)))
}

// Ran tells that the server ran tick, with what the client said about it, be it that it
// has no input, or without.
func (m *Meter) Ran(tick entangle.Tick, had bool) {
	m.ledger.ran = tick
	if !m.active {
		return
	}
	m.recent.note(had)
	if had {
		m.stats.InTime++
	} else {
		m.stats.Missing++
	}
}

// HandleFrame takes a ping, which came in a packet with the header tick. One of a packet
// that it was not told of before has no answer: nobody knows when it came.
func (m *Meter) HandleFrame(tick entangle.Tick, body []byte, now time.Time) error {
	if len(body) != pingSize {
		return ErrFrame
	}
	if !m.heard || tick != m.tick {
		return nil
	}
	a := &m.asked
	a.some, a.number, a.next, a.at = true, body[0], m.next, now
	return nil
}

// AppendFrame appends the body of a frame for the packet pkt with the header tick: a pong,
// if there was a ping, and a report, if it is time for one. A pong needs next to no room,
// so that a client gets to know the time under any cap.
func (m *Meter) AppendFrame(dst []byte, room int, pkt uint16, tick entangle.Tick, now time.Time) []byte {
	f := &m.frame
	f.hasPong, f.hasReport = room >= maxPong && m.answer(tick), false
	if room >= maxFrame && m.sent.due(&m.ledger, now) {
		f.hasReport = m.ledger.report(&f.report, tick)
	}
	if !f.hasPong && !f.hasReport {
		return dst
	}
	if f.hasReport {
		m.sent.note(pkt, tick-entangle.Tick(f.report.back)-entangle.Tick(f.report.n-1), now)
	}
	return f.append(dst)
}

// answer writes the pong that is owed. One that waited for too long is of no use.
func (m *Meter) answer(tick entangle.Tick) bool {
	a := &m.asked
	age := (tick + 1).Sub(a.next)
	ok := a.some && age >= 0 && age <= MaxAge
	a.some = false
	m.frame.pong = pong{number: a.number, age: uint64(max(age, 0)), every: uint64(m.every)}
	return ok
}

// Urgent reports whether a packet has to leave for what there is to say.
func (m *Meter) Urgent(now time.Time) bool {
	return m.asked.some && now.Sub(m.asked.at) >= pongWait || m.sent.urgent(&m.ledger, now)
}

// HandleAcked takes the verdict on a packet that arrived.
func (m *Meter) HandleAcked(pkt uint16) { m.sent.take(pkt) }

// HandleLost takes the verdict on a packet that got lost: what it reported is reported
// again.
func (m *Meter) HandleLost(pkt uint16) {
	if first, ok := m.sent.take(pkt); ok {
		m.ledger.again(first)
	}
}

// MeterStats is what a meter has counted.
type MeterStats struct {
	InTime  uint64 // ticks that ran with what the client said about them
	Missing uint64 // ticks that ran without, since the first input came
	Late    uint64 // inputs that came when their tick had run

	// Margin is the median of how many ticks early the last inputs came, and Least what
	// one in twenty came below.
	Margin, Least int
	Quality       Quality
}

// Stats returns what was counted.
func (m *Meter) Stats() MeterStats {
	s := m.stats
	s.Margin, s.Least = m.ledger.quantiles()
	s.Quality = m.recent.quality()
	return s
}
