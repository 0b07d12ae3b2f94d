package input

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/mlange-42/arche/ecs"
)

// relayLine sends the inputs of other players to one client, at most one packet's worth in each frame
// that sends. Streams that found no room come first in the next frame, so that each gets its turn.
//
// The streams of the clients are listed one client after the other, because targets are looked up
// in shared state. Afterwards several clients may be written concurrently.
type relayLine struct {
	relay *relay           // nil: nothing is relayed
	to    source.Recipient // in this frame

	number   int       // the number of the client's peer
	list     []mention // the streams for the client in this frame
	turn     uint64    // passing.serial of the last stream that had its turn
	composer input.Composer
	name     func(ecs.Entity) (repl.Ref, bool)
}

// mention is an input stream, and the client's reference to its entity.
type mention struct {
	stream *passing
	name   repl.Ref
}

func NewRelayLine(r *relay) *relayLine {
	l := &relayLine{relay: r}
	if r != nil {
		l.name = func(e ecs.Entity) (ref repl.Ref, known bool) {
			if s, ok := r.collector.Slot(e); ok {
				return r.name(l.to, s)
			}
			return ref, false
		}
	}
	return l
}

// waits reports whether streams remain to be sent in this frame.
func (l *relayLine) waits() bool { return len(l.list) > 0 }

// Look lists the streams for the client in this frame, beginning with those that are next in turn.
func (l *relayLine) Look(to source.Recipient) {
	l.to = to
	l.list = l.list[:0]
	if l.relay == nil || !l.relay.live {
		return
	}
	if l.to.Replication == nil {
		return
	}
	l.number = l.to.Replication.Number()
	streams, first := l.relay.streams, 0
	for first < len(streams) && streams[first].serial <= l.turn {
		first++
	}
	l.addStreams(streams[first:])
	l.addStreams(streams[:first])
}

func (l *relayLine) addStreams(streams []*passing) {
	for _, p := range streams {
		if name, ok := l.relay.seenBy(l.to, l.number, p); ok {
			l.list = append(l.list, mention{p, name})
		}
	}
}

// appendFrame writes as many of the listed streams as there is room for.
func (l *relayLine) appendFrame(dst []byte, room int, tick entangle.Tick) []byte {
	if !l.waits() {
		return dst
	}
	l.composer.Begin(dst, room, tick)
	written := 0
	for _, m := range l.list {
		l.head(m)
		if l.composer.Put(&m.stream.body) {
			written++
		} else if written > 0 {
			break
		}
		l.turn = m.stream.serial // a stream that fits nowhere does not hold up the others
	}
	l.list = l.list[:0]
	return l.composer.Finish()
}

// head writes the header of a stream.
func (l *relayLine) head(m mention) {
	w := l.composer.Stream(m.stream.number)
	repl.AppendRef(w, m.name)
	if l.relay.kinds[m.stream.number].codec.plan.HasRefs() {
		source.AppendTable(w, m.stream.refs, l.name)
	}
}
