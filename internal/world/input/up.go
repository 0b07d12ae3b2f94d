package input

import (
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/world/sink"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

// inputUp is the peer.Feed of a client: it sends the player's inputs to the server. In every frame in
// which ticks ran it sends all inputs that can still arrive in time and that the server has not
// acknowledged.
type inputUp struct {
	inputDown
	own     *ownInputs
	applier *sink.Applier
	clock   *timesync.Client
	late    *timesync.LateFrames

	due      bool          // ticks have run since the last frame of inputs
	newest   entangle.Tick // the newest written tick of all streams in the current frame
	composer input.Composer
	streams  []input.OwnStream
	heads    []inputHead // by index in streams
	name     func(ecs.Entity) (repl.Ref, bool)
	stats    *InputSent
	unread   *unreadWarning
}

// inputHead is the header of an input stream.
type inputHead struct {
	codec *inputCodec
	ref   repl.Ref
}

// InputSent counts the inputs that a client sent for its player.
type InputSent struct {
	Frames  uint64 // frames with inputs
	Streams uint64 // input streams in all frames; each has the newest ticks of one entity and type
	// LeftOut counts references to entities that were sent as no entity: beyond
	// protocol.MaxInputEntities in one packet for one entity and type of input. The first is logged.
	LeftOut uint64
}

func newInputUp(own *ownInputs, applier *sink.Applier, clock *tick.Clock, stats *InputSent, unread *unreadWarning) *inputUp {
	u := &inputUp{own: own, applier: applier, clock: clock.Sync(), late: clock.Late(), stats: stats, unread: unread}
	u.name = u.refOf
	return u
}

// refOf returns the server's reference to an entity.
func (u *inputUp) refOf(e ecs.Entity) (ref repl.Ref, known bool) {
	ref.ID, known = u.applier.Replicas.ID(e)
	ref.Yours = true
	return ref, known
}

// Urgent implements peer.Feed. Before the clock is synced, the client's ticks do not match the
// server's, and nothing is sent.
func (u *inputUp) Urgent(time.Time) bool { return u.due && u.clock.Synced() && u.own.drives() }

// AppendFrame implements peer.Feed.
func (u *inputUp) AppendFrame(dst []byte, room int, pkt uint16, tick entangle.Tick, now time.Time) []byte {
	if !u.Urgent(now) {
		return dst
	}
	u.due = false
	u.gather()
	if len(u.streams) == 0 {
		return dst
	}
	ticks := u.inTime(now)
	u.own.screens.Late = u.late.Frames()
	u.composer.Begin(dst, room, tick)
	put := u.composer.Pack(u.streams, u, &u.own.screens, ticks, pkt)
	if put > 0 {
		u.late.Sent()
		u.stats.Frames++
		u.stats.Streams += uint64(put)
		u.clock.InputsSent(u.newest, ticks)
	}
	u.noteLeftOut()
	return u.composer.Finish()
}

// noteLeftOut counts the references that the frame had no room for, and warns about the first.
func (u *inputUp) noteLeftOut() {
	for i := range u.own.kinds {
		k := &u.own.kinds[i]
		if k.codec.leftOut > 0 && u.stats.LeftOut == 0 {
			u.unread.warnLeftOut(k.number)
		}
		u.stats.LeftOut += k.codec.leftOut
		k.codec.leftOut = 0
	}
}

// gather lists the streams of entities that the server knows.
func (u *inputUp) gather() {
	u.streams, u.heads = u.streams[:0], u.heads[:0]
	for i := range u.own.kinds {
		k := &u.own.kinds[i]
		for _, stream := range k.order {
			ref, known := u.name(stream.entity)
			newest, written := stream.writer.Newest()
			if !known || !written {
				continue
			}
			if len(u.streams) == 0 || u.newest.Before(newest) {
				u.newest = newest
			}
			u.streams = append(u.streams, input.OwnStream{Type: k.number, Writer: stream.writer})
			u.heads = append(u.heads, inputHead{k.codec, ref})
		}
	}
}

// inTime returns how many of the newest ticks can still arrive in time: those that the server has not
// run yet. The travel time of the packet is not considered.
func (u *inputUp) inTime(now time.Time) int {
	server, _ := u.clock.ServerTick(now)
	return int(u.newest.Sub(server))
}

// AppendHead implements input.Heads.
func (u *inputUp) AppendHead(w *bits.Writer, stream int) {
	u.heads[stream].codec.appendHead(w, u.heads[stream].ref, u.name)
}

// HandleAcked implements peer.Feed.
func (u *inputUp) HandleAcked(pkt uint16) {
	u.own.each(func(w *input.Writer) { w.HandleAcked(pkt) })
}

// HandleLost implements peer.Feed.
func (u *inputUp) HandleLost(pkt uint16) {
	u.own.each(func(w *input.Writer) { w.HandleLost(pkt) })
}
