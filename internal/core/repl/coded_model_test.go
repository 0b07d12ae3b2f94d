package repl_test

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// coded is a model with differences that are written with learned codes. A salt determines the
// number of bits before each difference and the value mixed into it. A reader with another salt
// reads wrong values, and ends at another position.
type coded struct{ differing }

var _ sender.Learner = coded{}

// Learns implements sender.Learner.
func (m coded) Learns() bool { return m.coded }

// padding returns how many bits precede a difference.
func padding(salt uint32) uint { return uint(salt % 7) }

// code makes the sender send differences with learned codes. It is called before a peer joins.
func (n *network) code() {
	n.differ()
	n.model.coded = !n.model.deltas.IsZero()
	n.world = sender.NewWorld(coded{differing{n.model}}, n.model.comps)
}

// learn makes new codes as soon as the last ones are old enough.
func (n *network) learn() {
	if n.model.coded && n.tick.Sub(n.learned) >= repl.HistoryTicks {
		n.learnNow()
	}
}

func (n *network) learnNow() {
	before := n.model.salt
	n.model.salt, n.learned = uint32(n.tick)*2654435761|1, n.tick
	n.world.Learn(saltTable(n.model.salt), saltTable(n.model.salt^before))
}

func saltTable(salt uint32) []byte { return bytesOf(salt) }

// saltOf returns the salt of the current record's codes for a component.
func (d *deltaSink) saltOf(comp int) uint32 {
	if !d.at.Differs || d.past[comp] == nil {
		return 0
	}
	return d.salts[d.at.Codes]
}

var _ receiver.Learner = (*deltaSink)(nil)

// Learns implements receiver.Learner.
func (d *deltaSink) Learns() bool { return d.coded }

// Learn implements receiver.Learner.
func (d *deltaSink) Learn(table []byte, at, over uint8) error {
	var r bits.Reader
	r.Reset(table)
	salt := uint32(r.Bits(32)) ^ d.salts[over]
	if err := r.End(); err != nil {
		return err
	}
	d.salts[at] = salt
	return nil
}

// Skip implements receiver.Sink.
func (d *deltaSink) Skip(r *bits.Reader, comp int) error {
	r.Skip(padding(d.saltOf(comp)))
	return d.copySink.Skip(r, comp)
}
