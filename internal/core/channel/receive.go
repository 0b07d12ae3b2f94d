package channel

import (
	"math"
	"slices"
	"time"
)

// HandleFrames handles the frames of a fresh packet (see package packet), without its header.
// Afterwards call Poll until Polled; body must not change until then.
//
// ErrMalformed, ErrUnknownChannel and ErrRefused mean that no frame was applied. ErrWindow and
// ErrFragment mean that one frame was well-formed but breaks a limit or contradicts an earlier
// packet; the frames before it were applied, it and the rest were not. No honest peer causes any of
// them: count them and disconnect.
//
// It panics if messages of the previous packet were not polled.
func (m *Mux) HandleFrames(body []byte, now time.Time) error {
	if !m.Polled() {
		panic("channel: call Poll until Polled before the next HandleFrames")
	}
	m.reclaim()
	m.Expire(now)
	count, err := m.validate(body)
	if err != nil {
		m.stats.Refused++
		return err
	}
	m.work += uint64(count)
	m.inbox.begin(body, count)
	at := m.since(now)
	for rest := body; len(rest) > 0; {
		var f frame
		f, rest, _ = m.parseFrame(rest)
		end := len(body) - len(rest)
		if err := m.receive(f, end, at); err != nil {
			m.stats.Violations++
			return err
		}
	}
	return nil
}

// validate parses and counts all frames, so that a packet is accepted as a whole or not at all.
func (m *Mux) validate(body []byte) (count int, err error) {
	if len(body) > math.MaxUint16 {
		return 0, ErrMalformed
	}
	var f frame
	for rest := body; len(rest) > 0; count++ {
		if f, rest, err = m.parseFrame(rest); err != nil {
			return 0, err
		}
		if m.inbound[f.id]&refused != 0 {
			return 0, ErrRefused
		}
	}
	return count, nil
}

// receive handles one frame. end is the offset in the packet at which its body ends.
func (m *Mux) receive(f frame, end int, at time.Duration) error {
	if mode := m.inbound[f.id].mode(); !f.fragment && (mode == External || mode == UnorderedUnreliable) {
		m.inbox.deliverBytes(f.id, end-len(f.body), end)
		return nil
	}
	l := m.byID[f.id]
	if f.fragment {
		return m.receiveFragment(l, f, at)
	}
	if settled, err := m.settled(l, f); settled || err != nil {
		return err
	}
	if l.cfg.Mode == OrderedReliable && f.message != l.arrivals.next {
		return m.holdWhole(l, f, at)
	}
	m.discard(l, f.message)
	m.inbox.deliverBytes(f.id, end-len(f.body), end)
	m.passed(l, f.message)
	return nil
}

// settled reports whether a message was delivered or superseded before, and checks that it is
// within the window. It applies to fragments, and to frames of all modes with message ids.
func (m *Mux) settled(l *lane, f frame) (bool, error) {
	mode := l.cfg.Mode
	if mode == UnorderedUnreliable {
		return false, nil
	}
	ahead := l.arrivals.ahead(f.message)
	switch {
	case ahead < 0 && mode.Sequenced():
		m.stats.Stale++
		return true, nil
	case ahead < 0 || mode == UnorderedReliable && ahead < Window && l.arrivals.received(f.message):
		m.stats.Duplicates++
		return true, nil
	case mode.Reliable() && ahead >= Window:
		return false, ErrWindow
	}
	return false, nil
}

// holdWhole holds a message of an ordered channel that arrived too early.
func (m *Mux) holdWhole(l *lane, f frame, at time.Duration) error {
	m.work += keepWork
	place, held := l.arrivals.find(f.message)
	if held {
		m.stats.Duplicates++
		return nil
	}
	if !m.fits(l, cost(len(f.body))) {
		return ErrWindow
	}
	p := m.newIncoming(l, f.message, 0)
	m.add(p, 0, 0, f.body)
	m.hold(place, p, at)
	return nil
}

func (m *Mux) receiveFragment(l *lane, f frame, at time.Duration) error {
	m.work += keepWork
	if settled, err := m.settled(l, f); settled || err != nil {
		return err
	}
	place, held := l.arrivals.find(f.message)
	if held {
		p := l.arrivals.held[place]
		if p.final != f.final {
			return ErrFragment
		}
		if _, had := p.find(f.index); had {
			m.stats.Duplicates++
			return nil
		}
	}
	return m.keepFragment(l, f, at)
}

// keepFragment adds a new fragment to its message and delivers messages that it completes.
func (m *Mux) keepFragment(l *lane, f frame, at time.Duration) error {
	more := partCost(f.final, len(f.body))
	_, held := l.arrivals.find(f.message)
	if !held || !l.cfg.Mode.Reliable() { // making room may drop held messages
		more += messageOverhead
	}
	if !m.fits(l, more) {
		return ErrWindow
	}
	place, held := l.arrivals.find(f.message)
	if !held {
		m.hold(place, m.newIncoming(l, f.message, f.final), at)
	}
	if f.index != f.final {
		m.inbox.room(int(f.final)) // now, when one packet can ask for little else
	}
	p := l.arrivals.held[place]
	*m.memoryOf(l) += partCost(f.final, len(f.body))
	among, _ := p.find(f.index)
	m.add(p, among, f.index, f.body)
	if p.complete() {
		m.completed(l, place)
	}
	return nil
}

// completed delivers the message at a place, unless it waits for an earlier one.
func (m *Mux) completed(l *lane, place int) {
	p := l.arrivals.held[place]
	if l.cfg.Mode == OrderedReliable && p.id != l.arrivals.next {
		return
	}
	m.inbox.deliver(l.cfg.ID, m.takeHeld(l, place))
	if l.cfg.Mode != UnorderedUnreliable {
		m.passed(l, p.id)
	}
}

// passed advances a channel after id was delivered.
func (m *Mux) passed(l *lane, id uint16) {
	a := &l.arrivals
	switch {
	case l.cfg.Mode == UnorderedReliable:
		a.mark(id)
	case l.cfg.Mode.Sequenced():
		m.overtake(l, id)
	default:
		a.next++
		m.complete.note(l)
	}
}

// overtake drops messages older than the one just delivered.
func (m *Mux) overtake(l *lane, id uint16) {
	a := &l.arrivals
	n := 0
	for ; n < len(a.held) && int16(a.held[n].id-id) < 0; n++ {
		m.letGo(a.held[n])
		m.drop(a.held[n])
	}
	a.held = slices.Delete(a.held, 0, n)
	m.stats.Stale += uint64(n)
	a.next = id + 1
}
