package timesync

import (
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle"
)

// MeterConfig configures a Meter.
type MeterConfig struct {
	// TickRate is the ticks per second, 1 to MaxTickRate.
	TickRate int
	// SendEvery is the server's send interval in ticks, 1 to MaxSendEvery. 0 means 1.
	SendEvery int
}

// Meter measures on a server how early the packets and inputs of one client arrive, and reports the
// results to the client.
type Meter struct {
	every int
	tick  entangle.Tick // tick in the header of the last packet
	next  entangle.Tick // the server's next tick when that packet arrived
	known bool          // tick and next are set
	asked struct {      // the last ping that needs a pong
		some   bool
		number uint8
		next   entangle.Tick
		at     time.Time
	}
	ledger ledger
	sent   reports
	frame  serverFrame
	stats  MeterStats
	recent recent
	active bool // an input was received
}

// NewMeter returns a meter for a new client. It panics on an invalid configuration.
func NewMeter(cfg MeterConfig) *Meter {
	if cfg.TickRate < 1 || cfg.TickRate > MaxTickRate {
		panic(fmt.Sprintf("timesync: MeterConfig.TickRate is %d; it must be 1 to %d", cfg.TickRate, MaxTickRate))
	}
	if cfg.SendEvery < 0 || cfg.SendEvery > MaxSendEvery {
		panic(fmt.Sprintf("timesync: MeterConfig.SendEvery is %d; it must be 0 to %d", cfg.SendEvery, MaxSendEvery))
	}
	return &Meter{every: max(cfg.SendEvery, 1), ledger: ledger{patience: int32(max(cfg.TickRate/4, 4))}}
}

// PacketReceived records a data packet with tick in its header. It arrived in a frame of the
// server's app in which the next tick to run is next. Call it before the frames of the packet are
// handled.
func (m *Meter) PacketReceived(tick, next entangle.Tick) { m.tick, m.next, m.known = tick, next, true }

// InputReceived records the first arrival of the client's input for tick. It arrived in a frame of
// the server's app in which the next tick to run is next.
func (m *Meter) InputReceived(tick, next entangle.Tick) {
	m.active = true
	early := tick.Sub(next)
	if early < 0 {
		m.stats.Late++
	}
	m.ledger.recordMargin(tick, margin(min(max(early, -MaxMargin), MaxMargin)))
}

// TickRan records that the server has run tick. had is true if an input for the tick had arrived,
// or the client had sent that it has none.
func (m *Meter) TickRan(tick entangle.Tick, had bool) {
	m.ledger.ran = tick
	if !m.active {
		return
	}
	m.recent.addTick(had)
	if had {
		m.stats.InTime++
	} else {
		m.stats.Missing++
	}
}

// HandleFrame handles a ping from a packet with tick in its header. It ignores the ping if the
// packet was not the last one passed to PacketReceived, because its time of arrival is unknown.
func (m *Meter) HandleFrame(tick entangle.Tick, body []byte, now time.Time) error {
	if len(body) != pingSize {
		return ErrFrame
	}
	if !m.known || tick != m.tick {
		return nil
	}
	a := &m.asked
	a.some, a.number, a.next, a.at = true, body[0], m.next, now
	return nil
}

// AppendFrame appends the body of a frame for packet pkt with tick in its header: a pong if a ping
// was received, and a report if one is due. A pong is so small that a client can set its clock
// under any byte budget.
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
		m.sent.recordSent(pkt, tick-entangle.Tick(f.report.back)-entangle.Tick(f.report.n-1), now)
	}
	return f.appendTo(dst)
}

// answer prepares the pong for the last ping. It returns false if there was none, or it is too old.
func (m *Meter) answer(tick entangle.Tick) bool {
	a := &m.asked
	age := (tick + 1).Sub(a.next)
	ok := a.some && age >= 0 && age <= MaxAge
	a.some = false
	m.frame.pong = pong{number: a.number, age: uint64(max(age, 0)), every: uint64(m.every)}
	return ok
}

// Urgent reports whether a pong or report has waited so long that it needs a packet of its own.
func (m *Meter) Urgent(now time.Time) bool {
	return m.asked.some && now.Sub(m.asked.at) >= pongWait || m.sent.urgent(&m.ledger, now)
}

// HandleAcked records that a packet was acknowledged.
func (m *Meter) HandleAcked(pkt uint16) { m.sent.removePacket(pkt) }

// HandleLost records that a packet was lost. Its report is sent again.
func (m *Meter) HandleLost(pkt uint16) {
	if first, ok := m.sent.removePacket(pkt); ok {
		m.ledger.reportAgain(first)
	}
}

// MeterStats counts the inputs of one client.
type MeterStats struct {
	InTime  uint64 // ticks that ran with the client's input, or after the client had sent that it has none
	Missing uint64 // ticks since the first input that ran without one
	Late    uint64 // inputs that arrived after their tick had run

	// Margin is the median of the margins of the last inputs, in ticks: how early they arrived. One
	// in twenty had a margin below Least.
	Margin, Least int
	Quality       Quality
}

// Stats returns the counters.
func (m *Meter) Stats() MeterStats {
	s := m.stats
	s.Margin, s.Least = m.ledger.quantiles()
	s.Quality = m.recent.quality()
	return s
}
