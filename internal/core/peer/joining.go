package peer

import (
	"encoding/binary"
	"time"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
)

// joining is the progress of the groups that existed when the connection opened, in both
// directions: the groups that we send to the peer, and those that it sends to us.
type joining struct {
	said, heard stage
	of          int // groups that the peer has for us, as it announced
}

type stage uint8

const (
	silent   stage = iota
	counted        // their number was received
	complete       // all of them have arrived
)

// Given returns how many of the groups that existed when the connection opened the peer has
// received. It is not begun before the first frame in which a tick ran.
func (p *Peer) Given() sender.Progress {
	if p.updates == nil {
		return sender.Progress{}
	}
	return p.updates.Joining()
}

// Taken returns how many of the peer's groups this side has received. Until the peer reports that
// all have arrived it is an estimate: groups that appeared since the connection opened count as
// well, up to Of.
func (p *Peer) Taken() sender.Progress {
	t := sender.Progress{Of: p.joining.of, Begun: p.joining.heard != silent}
	switch p.joining.heard {
	case counted:
		t.Have = max(0, min(p.cfg.Copy.Len(), t.Of-1))
	case complete:
		t.Have = t.Of
	}
	return t
}

// tellJoining sends the number of groups for the peer, and a notice once it has all of them.
func (p *Peer) tellJoining(now time.Time) error {
	if p.joining.said == complete || p.cfg.World.Held() {
		return nil
	}
	if p.joining.said == silent {
		p.updates.Join()
		p.joining.said = counted
		if _, err := p.mux.Send(Control, appendJoining(nil, p.updates.Joining().Of), 0, now); err != nil {
			return err
		}
	}
	if !p.updates.Joining().Done() {
		return nil
	}
	p.joining.said = complete
	_, err := p.mux.Send(Control, []byte{byte(allJoined)}, 0, now)
	return err
}

// handleJoining handles the peer's messages about the groups that it has for us. It sends each
// once, and in that order.
func (p *Peer) handleJoining(kind controlKind, body []byte) error {
	j := &p.joining
	if kind == allJoined {
		if len(body) != 0 || j.heard != counted {
			return ErrControl
		}
		j.heard = complete
		return nil
	}
	if len(body) != 4 || j.heard != silent {
		return ErrControl
	}
	of := binary.LittleEndian.Uint32(body)
	if of > 2*repl.MaxGroups {
		return ErrControl
	}
	j.heard, j.of = counted, int(of)
	return nil
}

func appendJoining(dst []byte, of int) []byte {
	return binary.LittleEndian.AppendUint32(append(dst, byte(nowJoining)), uint32(of))
}
