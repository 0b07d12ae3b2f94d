package peer

import (
	"errors"
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
)

// ErrTombstones means that the peer has not acknowledged structure for so long that the tombstones of
// entities that were despawned or moved since then exceed their limit.
var ErrTombstones = errors.New("peer: more than 16,384 entities have despawned or changed their group since the oldest structure that it has not acknowledged: its line is too slow for what spawns and despawns, or it acknowledges nothing")

// ErrMoves means that the queue of reliable messages has no room for a unit of moves (docs/decisions/0038), which is sent in
// one frame. It comes with channel.ErrQueueFull.
var ErrMoves = errors.New("peer: the entities that moves connect in one tick take more than the 1 MiB for reliable messages: move them in several ticks")

// Begin prepares the packets of a frame: it detects lost packets, queues reliable data, and plans
// the updates (sender.Peer.Prepare). Call it once per frame before AppendPacket. After an error the
// peer must be disconnected, because it acknowledges too slowly. The peers of one World must begin
// one after the other; after that, their calls of AppendPacket may run concurrently.
func (p *Peer) Begin(now time.Time) error {
	if err := p.sendHello(now); err != nil {
		return err
	}
	p.handleLost(now)
	p.frame = frameUse{limit: p.frame.nextLimit(p.tracker.LossRate())}
	switch {
	case p.handshake.timedOut(now):
		p.handshake.endWith("no hello: the peer does not speak this protocol")
	case p.Open():
		return p.queueReliable(now)
	}
	return nil
}

// queueReliable moves structure into its channel, and plans the updates.
func (p *Peer) queueReliable(now time.Time) error {
	if p.replication != nil {
		if p.replication.Tombstones() > sender.MaxTombstones {
			return ErrTombstones
		}
		if err := p.sendProgress(now); err != nil {
			return err
		}
	}
	for p.replication != nil && p.moreActions() {
		p.scratch = p.replication.AppendActions(p.scratch[:0], actionRoom)
		if len(p.scratch) == 0 {
			break
		}
		p.tapData(false, p.scratch)
		message, err := p.mux.Send(Actions, p.scratch, 0, now)
		if err != nil && p.frame.structure > maxFrameActions+maxActionBacklog {
			return fmt.Errorf("%w: %w", ErrMoves, err)
		} else if err != nil {
			return err
		}
		p.frame.structure += len(p.scratch)
		p.frame.groups += p.replication.ActionsSent(uint16(message))
	}
	if p.replication != nil {
		p.resendUrgent()
		p.replication.Prepare()
	}
	return nil
}

// resendUrgent resends structure that cannot wait until its packet counts as lost.
func (p *Peer) resendUrgent() {
	for message, ok := p.replication.PollAgain(); ok; message, ok = p.replication.PollAgain() {
		p.mux.Resend(Actions, message)
	}
}

// moreActions reports whether more structure may be sent now. It may as long as the frame has room
// for it and little structure waits in the channel. Groups that structure sent earlier depends on
// are sent in any case.
func (p *Peer) moreActions() bool {
	return p.replication.ActionsOwed() ||
		p.replication.ActionsDue() && p.mux.Backlog(Actions) < maxActionBacklog && p.structureFits()
}

// AppendPacket appends the next payload for the peer, at most entangle.MaxPayload bytes. tick is
// the last finished tick. It returns dst unchanged if there is nothing more to send in this frame.
// Under a cap, it then drops the unreliable messages for which the frame had no room.
func (p *Peer) AppendPacket(dst []byte, tick entangle.Tick, now time.Time) []byte {
	out := p.appendPacket(dst, tick, now)
	if p.cfg.Capped && len(out) == len(dst) {
		p.mux.DropUnsent(now)
	}
	return out
}

func (p *Peer) appendPacket(dst []byte, tick entangle.Tick, now time.Time) []byte {
	if p.handshake.phase == ended || p.frame.packets >= p.frame.limit {
		return dst
	}
	if !p.tracker.MaySend(now) {
		p.stats.throttled++
		return p.appendAck(dst, p.tracker.AckDue(now), tick, now)
	}
	start, pkt := len(dst), p.tracker.NextID()
	out := append(dst, make([]byte, packet.HeaderSize)...)
	end := start + p.maxPayload()
	out = p.appendUrgent(out, end, pkt, tick, now)
	out, _ = p.mux.AppendFrames(out, end-len(out), pkt, now, p.tracker.ResendRTT())
	out = p.appendUpdates(out, end-len(out), pkt)
	if len(out) > start+packet.HeaderSize || p.tracker.AckDue(now) {
		out = p.appendMark(out, end-len(out))
		out = p.appendRiding(out, end, pkt, tick, now)
	}
	kind := packet.Data
	if len(out) == start+packet.HeaderSize {
		if !p.tracker.AckDue(now) {
			return dst
		}
		kind = packet.AckOnly
	}
	out = p.mux.Finish(out)
	packet.AppendHeader(out[:start], p.tracker.Next(now, tick, kind))
	p.countPacket(out[start:])
	if p.replication != nil {
		p.replication.Received().Sent(pkt, tick)
	}
	return out
}

func (p *Peer) appendUpdates(dst []byte, room int, pkt uint16) []byte {
	if p.replication == nil || room <= channel.ExternalOverhead {
		return dst
	}
	out, mark := p.mux.BeginFrame(dst, Updates)
	begin := len(out)
	out = p.replication.AppendUpdates(out, min(room-channel.ExternalOverhead, repl.MaxUpdateBytes), pkt)
	if len(out) == begin {
		return dst
	}
	p.budget.updates -= len(out) - begin
	p.tapData(true, out[begin:])
	return p.mux.EndFrame(out, mark)
}

// appendMark adds the confirmed tick of the entities that the peer predicts to a packet that is
// sent anyway.
func (p *Peer) appendMark(dst []byte, room int) []byte {
	if p.replication == nil || room <= channel.ExternalOverhead {
		return dst
	}
	out, mark := p.mux.BeginFrame(dst, Updates)
	begin := len(out)
	if out = p.replication.AppendMark(out, room-channel.ExternalOverhead); len(out) == begin {
		return dst
	}
	return p.mux.EndFrame(out, mark)
}

// AppendAck appends a payload that acknowledges received packets, if the next ones could push some
// of them out of the range of a header. Otherwise it returns dst unchanged. Call it after each
// HandlePayload: if a peer sends more than packet.WindowSize packets between two frames of this
// end, it would count the first of them as lost.
func (p *Peer) AppendAck(dst []byte, tick entangle.Tick, now time.Time) []byte {
	return p.appendAck(dst, p.handshake.phase != ended && p.tracker.AckFull(), tick, now)
}

func (p *Peer) appendAck(dst []byte, due bool, tick entangle.Tick, now time.Time) []byte {
	if !due {
		return dst
	}
	start := len(dst)
	dst = packet.AppendHeader(dst, p.tracker.Next(now, tick, packet.AckOnly))
	p.stats.out++
	p.stats.bytesOut += uint64(len(dst) - start)
	return dst
}

// AppendGoodbye appends the payload that tells the peer why the connection ends, with up to
// packet.MaxReason bytes of reason. The disconnect packets of the session follow it.
func (p *Peer) AppendGoodbye(dst []byte, reason string, tick entangle.Tick, now time.Time) []byte {
	dst = packet.AppendHeader(dst, p.tracker.Next(now, tick, packet.Goodbye))
	return packet.AppendReason(dst, reason)
}
