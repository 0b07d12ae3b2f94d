package message

import (
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
)

// SentResources is the state of the resources as sent to one client.
type SentResources struct {
	sent []sentResource // by number
	next int            // the resource that has the first turn
}

// sentResource is the state of one resource as sent to a client.
type sentResource struct {
	version uint32
	holds   bool // the last message sent is a value
	flying  bool // the last message is in flight
	message channel.MessageID
	names   []repl.ID // the network ids of its entities, as sent
	calls   uint32    // resource.calls when names was last complete
}

func (s *Resources) NewSentResources() SentResources {
	return SentResources{sent: make([]sentResource, len(s.List))}
}

// Delivered records that the client has received a message.
func (l *SentResources) Delivered(message channel.MessageID) {
	for i := range l.sent {
		if l.sent[i].flying && l.sent[i].message == message {
			l.sent[i].flying = false
		}
	}
}

// Send queues the resources that a client lacks, as far as there is room. A resource that found no
// room has the first turn next time.
func (s *Resources) Send(to *peer.Peer, id entangle.ClientID, line *SentResources, now time.Time) error {
	for range s.List {
		if to.ResourcesCrowded() {
			return nil
		}
		number := line.next
		line.next = (number + 1) % len(s.List)
		if err := s.sendOne(to, id, number, &line.sent[number], now); err != nil {
			return err
		}
	}
	return nil
}

func (s *Resources) sendOne(to *peer.Peer, id entangle.ClientID, number int, l *sentResource, now time.Time) error {
	r := &s.List[number]
	if !r.On || !r.Observed || l.flying {
		return nil
	}
	wanted := r.There && s.Targets.Contains(r.Target, id)
	if !wanted && !l.holds || wanted && s.upToDate(r, l, to.Replication()) {
		return nil
	}
	body := s.removal(number)
	if wanted {
		names := s.namesOf(r, to.Replication())
		body = s.encodeValue(r, number, names)
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

// upToDate reports whether a client was sent the current value, with the network ids of all entities
// in it that the client sees. A network id stays valid while the client does not see the entity. When
// an entity despawns, the value is not sent again: the client receives the despawn itself.
func (s *Resources) upToDate(r *resource, l *sentResource, to *sender.Peer) bool {
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

// namesOf returns a client's network ids of the entities in a value. An entity that the client does
// not see has none, whether or not it exists. They are valid until the next call.
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
	s.appendTick(&s.List[number])
	s.message = s.w.Finish()
	return s.message
}

// encodeValue returns the wire form of a resource. If its entities have the same network ids for all
// clients, it is encoded once.
func (s *Resources) encodeValue(r *resource, number int, names []repl.ID) []byte {
	if r.private {
		s.message = s.appendValue(s.message[:0], r, number, names)
		return s.message
	}
	if tick := s.collector.World.Tick(); len(r.wire) == 0 || r.Info.Rollback && r.wired != tick {
		r.wire, r.wired = s.appendValue(r.wire[:0], r, number, names), tick
	}
	return r.wire
}

// appendTick writes the tick at the end of which the value of a predicted resource is valid: rollbacks
// need it.
func (s *Resources) appendTick(r *resource) {
	if r.Info.Rollback {
		s.w.Bits(uint64(s.collector.World.Tick()), 32)
	}
}

func (s *Resources) appendValue(dst []byte, r *resource, number int, names []repl.ID) []byte {
	w := &s.w
	w.Reset(dst)
	w.Uvarint(uint64(number))
	w.Bool(true)
	s.appendTick(r)
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
