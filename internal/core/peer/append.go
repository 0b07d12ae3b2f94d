package peer

import (
	"errors"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
)

// ErrHeldUp means that the peer leaves structure unacknowledged for so long that the tombstones of
// entities despawned since fill the memory.
var ErrHeldUp = errors.New("peer: it leaves structure unacknowledged, and too much has ended since: disconnect it")

// Begin prepares a frame's packets: it detects lost packets, queues reliable data, and plans the
// updates (sender.Peer.Prepare). Call it once per frame before AppendPacket. An error means that
// the peer acknowledges too slowly and must be disconnected. Peers of one World begin one after the
// other; once all have begun, their AppendPacket may run concurrently.
func (p *Peer) Begin(now time.Time) error {
	if err := p.sendHello(now); err != nil {
		return err
	}
	p.handleOutcomes(now)
	p.pinIDs()
	p.frame = frameUse{}
	switch {
	case p.handshake.timedOut(now):
		p.handshake.endWith("no hello: the peer does not speak this protocol")
	case p.Open():
		return p.queueReliable(now)
	}
	return nil
}

// pinIDs keeps network ids that in-flight messages may contain from being reused.
func (p *Peer) pinIDs() {
	p.stampMessages()
	if p.replication == nil {
		return
	}
	oldest, some := p.mux.Oldest()
	p.replication.Pin(entangle.Tick(oldest.Tick), oldest.Ends, some)
}

// stampMessages stamps the messages that are queued from now on with the tick of the world. It is
// called first for our hello, because messages may be queued in the frame in which the connection
// opens, before pinIDs, and because the hello itself may wait longer than that.
func (p *Peer) stampMessages() {
	if w := p.cfg.World; w != nil {
		p.mux.Stamp(channel.Stamp{Tick: uint32(w.Tick()), Ends: w.Ends()})
	}
}

// queueReliable moves structure and resync requests into their channels, and plans the updates.
func (p *Peer) queueReliable(now time.Time) error {
	if p.cfg.Receiver != nil {
		if err := p.requestResyncs(now); err != nil {
			return err
		}
	}
	if p.replication != nil {
		if p.replication.HeldUp() > sender.MaxHeldUp {
			return ErrHeldUp
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
		if err != nil {
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

// resendUrgent resends structure that must not wait until it counts as lost.
func (p *Peer) resendUrgent() {
	for message, ok := p.replication.PollAgain(); ok; message, ok = p.replication.PollAgain() {
		p.mux.Resend(Actions, message)
	}
}

// moreActions reports whether more structure is sent now: as long as the frame has room for it and
// little waits in the channel. Groups on which earlier structure depends are sent in any case.
func (p *Peer) moreActions() bool {
	return p.replication.ActionsOwed() ||
		p.replication.ActionsDue() && p.mux.Backlog(Actions) < maxActionBacklog && p.structureFits()
}

// AppendPacket writes the next payload to the peer, at most entangle.MaxPayload bytes, for the last
// finished tick. It returns dst unchanged when the frame has nothing more to send. Under a cap,
// unreliable messages that found no room in the frame are dropped then.
func (p *Peer) AppendPacket(dst []byte, tick entangle.Tick, now time.Time) []byte {
	out := p.appendPacket(dst, tick, now)
	if p.cfg.Capped && len(out) == len(dst) {
		p.mux.DropUnsent(now)
	}
	return out
}

func (p *Peer) appendPacket(dst []byte, tick entangle.Tick, now time.Time) []byte {
	if p.handshake.phase == ended || p.frame.packets == maxPackets {
		return dst
	}
	if !p.tracker.MaySend(now) {
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

// appendMark adds the confirmed tick of the peer's predicted entities to a packet that is sent
// anyway.
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

// AppendAck writes a payload that acknowledges received packets, if later ones could push some of
// them out of the range of a header; else it returns dst unchanged. Call it after each
// HandlePayload: a peer that sends more than packet.WindowSize packets between two frames of ours
// would count the first of them as lost.
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

// AppendGoodbye writes the payload that tells the peer why the connection ends:
// up to packet.MaxReason bytes of it. The session's own disconnect follows.
func (p *Peer) AppendGoodbye(dst []byte, reason string, tick entangle.Tick, now time.Time) []byte {
	dst = packet.AppendHeader(dst, p.tracker.Next(now, tick, packet.Goodbye))
	return packet.AppendReason(dst, reason)
}
