package peer

import (
	"encoding/binary"
	"time"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
)

// progress counts how many of the groups that existed when the connection opened have arrived, in
// both directions: groups sent to the peer and groups received from it.
type progress struct {
	sent, received stage // which messages about the progress were sent and received
	of             int   // the number of groups that the peer has announced
}

type stage uint8

const (
	uncounted stage = iota
	counted         // the number of groups was sent
	complete        // all groups have arrived
)

// SendProgress returns how many of the groups that existed when the connection opened have arrived
// at the peer. Progress.Begun is false before the first frame of the app in which a tick ran.
func (p *Peer) SendProgress() sender.Progress {
	if p.replication == nil {
		return sender.Progress{}
	}
	return p.replication.Joining()
}

// ReceiveProgress returns how many of the peer's groups this side has received. It is an estimate
// until the peer sends that all have arrived, because groups that appeared since the connection
// opened count too, up to Of.
func (p *Peer) ReceiveProgress() sender.Progress {
	t := sender.Progress{Of: p.progress.of, Begun: p.progress.received != uncounted}
	switch p.progress.received {
	case counted:
		t.Have = max(0, min(p.cfg.Receiver.Len(), t.Of-1))
	case complete:
		t.Have = t.Of
	}
	return t
}

// sendProgress sends the number of groups for the peer, and a notice when the peer has acknowledged
// all of them.
func (p *Peer) sendProgress(now time.Time) error {
	if p.progress.sent == complete || p.cfg.World.Held() {
		return nil
	}
	if p.progress.sent == uncounted {
		p.replication.Join()
		p.progress.sent = counted
		if _, err := p.mux.Send(Control, appendJoining(nil, p.replication.Joining().Of), 0, now); err != nil {
			return err
		}
	}
	if !p.replication.Joining().Done() {
		return nil
	}
	p.progress.sent = complete
	_, err := p.mux.Send(Control, []byte{byte(allJoined)}, 0, now)
	return err
}

// handleControl handles the peer's messages about the groups that it sends. The peer must send each
// of the two once, in this order.
func (pr *progress) handleControl(kind controlKind, body []byte) error {
	if kind == allJoined {
		if len(body) != 0 || pr.received != counted {
			return ErrControl
		}
		pr.received = complete
		return nil
	}
	if len(body) != 4 || pr.received != uncounted {
		return ErrControl
	}
	of := binary.LittleEndian.Uint32(body)
	if of > 2*repl.MaxGroups {
		return ErrControl
	}
	pr.received, pr.of = counted, int(of)
	return nil
}

func appendJoining(dst []byte, of int) []byte {
	return binary.LittleEndian.AppendUint32(append(dst, byte(nowJoining)), uint32(of))
}
