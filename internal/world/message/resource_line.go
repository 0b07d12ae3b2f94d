package message

import (
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/registry"
)

// ResourceLine is what one client was sent of the resources.
type ResourceLine struct {
	lanes []resourceLane // by number
	next  int            // who has the first turn
}

// resourceLane is what a client was sent of one resource.
type resourceLane struct {
	version uint32
	holds   bool // of what was sent, the last is a value
	flying  bool // it is not acknowledged
	message channel.MessageID
	names   []repl.ID // of the entities in it, as it was sent
	calls   uint32    // of the resource, when nothing was lacking in those
}

func (s *Resources) NewLine() ResourceLine {
	return ResourceLine{lanes: make([]resourceLane, len(s.List))}
}

// Delivered takes in that the client has a message.
func (l *ResourceLine) Delivered(message channel.MessageID) {
	for i := range l.lanes {
		if l.lanes[i].flying && l.lanes[i].message == message {
			l.lanes[i].flying = false
		}
	}
}

// Send queues what a client lacks, as far as there is room. The resource that found
// none has the first turn next time.
func (s *Resources) Send(to *peer.Peer, id entangle.ClientID, line *ResourceLine, now time.Time) error {
	for range s.List {
		if to.ResourcesCrowded() {
			return nil
		}
		number := line.next
		line.next = (number + 1) % len(s.List)
		if err := s.sendOne(to, id, number, &line.lanes[number], now); err != nil {
			return err
		}
	}
	return nil
}

func (s *Resources) sendOne(to *peer.Peer, id entangle.ClientID, number int, l *resourceLane, now time.Time) error {
	r := &s.List[number]
	if !r.On || !r.Observed || l.flying {
		return nil
	}
	wanted := r.There && s.Targets.Contains(r.Target, id)
	if !wanted && !l.holds || wanted && s.upToDate(r, l, to.Updates()) {
		return nil
	}
	body := s.removal(number)
	if wanted {
		names := s.namesOf(r, to.Updates())
		body = s.value(r, number, names)
		l.names, l.calls = append(l.names[:0], names...), r.calls
	}
	message, err := to.SendResource(body, now)
	if err != nil {
		return err
	}
	l.version, l.holds, l.flying, l.message = r.Version, wanted, true, message
	s.stat.Sent++
	return nil
}

// upToDate reports whether a client was sent a value as it is, with the names of all in it that
// it sees. A name that it was sent stays good while it does not see the entity; and of the end
// of one it hears from the entity, if it is to hear of it.
func (s *Resources) upToDate(r *resource, l *resourceLane, to *sender.Peer) bool {
	if !l.holds || l.version != r.Version {
		return false
	}
	if l.calls == r.calls && !r.private {
		return true
	}
	for i, name := range s.namesOf(r, to) {
		if name != noName && name != l.names[i] {
			return false
		}
	}
	l.calls = r.calls
	return true
}

// namesOf returns what a client calls the entities in a value. One that it does not see has no
// name, be it there or not. They are valid until the next.
func (s *Resources) namesOf(r *resource, to *sender.Peer) []repl.ID {
	s.names = s.names[:0]
	for _, c := range r.called {
		if c.name == noName && c.slot != repl.NoSlot && to.Keeps(c.slot) {
			if name, ok := to.ID(c.slot); ok {
				c.name = name
			}
		}
		s.names = append(s.names, c.name)
	}
	return s.names
}

func (s *Resources) removal(number int) []byte {
	s.w.Reset(s.message[:0])
	s.w.Uvarint(uint64(number))
	s.w.Bool(false)
	s.state(&s.List[number])
	s.message = s.w.Finish()
	return s.message
}

// value writes a resource as it travels. Where its entities are the same to all, that is done
// once.
func (s *Resources) value(r *resource, number int, names []repl.ID) []byte {
	if r.private {
		s.message = s.appendValue(s.message[:0], r, number, names)
		return s.message
	}
	if tick := s.publisher.World().Tick(); len(r.wire) == 0 || r.Info.Rollback && r.wired != tick {
		r.wire, r.wired = s.appendValue(r.wire[:0], r, number, names), tick
	}
	return r.wire
}

// saysTick reports whether messages of a resource say the tick at whose end it is so: a rollback goes
// there, and entities in it are those that had their names then.
func saysTick(info *registry.Resource) bool { return info.Rollback || info.Plan.HasRefs() }

// state writes that tick.
func (s *Resources) state(r *resource) {
	if saysTick(r.Info) {
		s.w.Bits(uint64(s.publisher.World().Tick()), 32)
	}
}

func (s *Resources) appendValue(dst []byte, r *resource, number int, names []repl.ID) []byte {
	w := &s.w
	w.Reset(dst)
	w.Uvarint(uint64(number))
	w.Bool(true)
	s.state(r)
	if r.Info.Plan.HasRefs() {
		w.Uvarint(uint64(len(names)))
		for _, name := range names {
			w.Bool(name != noName)
			if name != noName {
				repl.AppendRef(w, repl.Ref{ID: name})
			}
		}
	}
	w.Copy(r.body, r.width)
	return w.Finish()
}
