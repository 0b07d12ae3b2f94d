package sender

import (
	"math/bits"

	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// joining is what a peer that has just come is to hold before it has all that was
// there for it. What comes later is no part of it, nor what ends or can't be sent.
type joining struct {
	begun           bool
	public, private repl.Bitset // what it does not hold yet
	left, of        int
}

// Progress is how far a peer has come with the groups that were there for it when it
// joined.
type Progress struct {
	Have, Of int
	Begun    bool
}

// Done reports whether the peer holds all of them, or what became of them.
func (p Progress) Done() bool { return p.Begun && p.Have == p.Of }

// Join notes what is due for a peer that was sent nothing yet: what was there for it
// when it came. It is to be called once, when all has been shown to it that it may see.
func (p *Peer) Join() {
	j := &p.joining
	j.begun = true
	j.public, j.private = append(repl.Bitset(nil), p.public.shapeDue...), append(repl.Bitset(nil), p.private.shapeDue...)
	for _, set := range [2]repl.Bitset{j.public, j.private} {
		for _, word := range set {
			j.of += bits.OnesCount64(word)
		}
	}
	j.left = j.of
}

// Joining returns how far the peer has come since Join.
func (p *Peer) Joining() Progress {
	return Progress{Have: p.joining.of - p.joining.left, Of: p.joining.of, Begun: p.joining.begun}
}

// unsent takes a group off what the peer does not hold yet if it was sent nothing of it,
// and will not be for the time being.
func (p *Peer) unsent(sp *space, i int) {
	if sp.phase[i] == unknown {
		p.joined(sp, i)
	}
}

// joined takes a group off what the peer does not hold yet.
func (p *Peer) joined(sp *space, i int) {
	j := &p.joining
	if j.left == 0 {
		return
	}
	set := j.public
	if sp == &p.private {
		set = j.private
	}
	if !set.Has(i) {
		return
	}
	set.Clear(i)
	if j.left--; j.left == 0 {
		j.public, j.private = nil, nil
	}
}
