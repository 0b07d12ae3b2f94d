package sender

import (
	"math/bits"

	"github.com/entangle-ecs/entangle/internal/core/repl/group"
)

// joining is the groups that a peer has not received yet, of those that existed for it when it joined. Groups that end
// or cannot be sent are removed.
type joining struct {
	groups   *group.Peer
	begun    bool
	left, of int // number of groups in Space.Joining, now and at the join
}

// Progress is the number of groups that a peer has received of those that existed for it when it
// joined.
type Progress struct {
	Have, Of int
	Begun    bool
}

// Done reports whether the peer has received all of them, or their ends.
func (p Progress) Done() bool { return p.Begun && p.Have == p.Of }

// Join notes the due groups of a peer that was sent nothing yet: the world that exists for it when
// it joins. Call it once, when all groups that the peer may see have been shown to it.
func (j *joining) Join() {
	j.begun = true
	for _, sp := range j.groups.Spaces() {
		copy(sp.Joining, sp.StructureDue)
		for _, word := range sp.Joining {
			j.of += bits.OnesCount64(word)
		}
	}
	j.left = j.of
}

// Joining returns the progress of the join.
func (j *joining) Joining() Progress {
	return Progress{Have: j.of - j.left, Of: j.of, Begun: j.begun}
}

// markNotSent removes a group that the peer was not sent, and that cannot be sent now, from the groups of the join.
func (j *joining) markNotSent(sp *group.Space, i int) {
	if sp.IsAbsent(i) {
		j.markJoined(sp, i, i+1)
	}
}

// markJoined removes the groups from an index on, and before another, from those that the join waits for.
func (j *joining) markJoined(sp *group.Space, i, end int) {
	if j.left == 0 {
		return
	}
	for from, to := sp.Joining.NextRun(i); from < min(to, end); from, to = sp.Joining.NextRun(to) {
		to = min(to, end)
		sp.Joining.ClearRange(from, to)
		j.left -= to - from
	}
}
