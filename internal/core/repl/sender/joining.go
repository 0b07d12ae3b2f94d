package sender

import (
	"math/bits"

	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/set"
)

// joining is the groups that a newly joined peer has yet to receive, of those that existed for it
// when it joined. Later groups are not part of it, nor those that end or can't be sent.
type joining struct {
	begun           bool
	public, private set.Bitset // what it does not hold yet
	left, of        int
}

// Progress is the number of groups that a peer has received of those that existed for it when it
// joined.
type Progress struct {
	Have, Of int
	Begun    bool
}

// Done reports whether the peer has all of them, or has received their ends.
func (p Progress) Done() bool { return p.Begun && p.Have == p.Of }

// Join notes the due groups of a peer that was sent nothing yet: the world that exists for it when
// it joins. Call it once, when all groups that the peer may see have been shown to it.
func (p *Peer) Join() {
	j := &p.joining
	j.begun = true
	j.public, j.private = append(set.Bitset(nil), p.groups.Public.StructureDue...), append(set.Bitset(nil), p.groups.Private.StructureDue...)
	for _, groups := range [2]set.Bitset{j.public, j.private} {
		for _, word := range groups {
			j.of += bits.OnesCount64(word)
		}
	}
	j.left = j.of
}

// Joining returns how far the peer has come since Join.
func (p *Peer) Joining() Progress {
	return Progress{Have: p.joining.of - p.joining.left, Of: p.joining.of, Begun: p.joining.begun}
}

// unsent removes a group from the missing ones if the peer was sent nothing of it, and will not be
// for the time being.
func (p *Peer) unsent(sp *group.Space, i int) {
	if sp.Phase[i] == group.Absent {
		p.joined(sp, i)
	}
}

// joined removes a group from the missing ones.
func (p *Peer) joined(sp *group.Space, i int) {
	j := &p.joining
	if j.left == 0 {
		return
	}
	groups := j.public
	if sp == &p.groups.Private {
		groups = j.private
	}
	if !groups.Has(i) {
		return
	}
	groups.Clear(i)
	if j.left--; j.left == 0 {
		j.public, j.private = nil, nil
	}
}
