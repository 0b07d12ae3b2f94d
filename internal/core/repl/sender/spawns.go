package sender

import (
	"slices"
	"sort"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/flight"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// spawnBatch is the fulls of public groups with consecutive handles, of one entity each with the same
// components, which needs nothing and refers to nobody. It is encoded once in a tick, for all peers that
// have none of the groups: when many entities spawn, and when a peer joins. Behind the first full of a
// batch in a message all others are usual ones.
type spawnBatch struct {
	first      repl.Handle
	groups     int
	generation repl.Generation
	begins     uint64 // what each body begins with; see plainFull
	prefix     int    // bits of it
	at         int    // of the first group in spawnBatches.ends
	off        int    // in the arena
}

// spawnBatches is the batches of the present tick.
type spawnBatches struct {
	list  []spawnBatch
	of    []int32  // by public handle: 1 + index into list, 0 if that was not asked yet, or noBatch
	none  []int32  // handles with noBatch
	ends  []uint32 // where the values of each group end, in bits, behind a bit that says that it is usual
	arena []byte
	buf   []byte
}

const (
	noBatch = -1
	// maxBatch bounds the groups of a batch, and maxBatchBits their size: a few messages. Groups behind
	// that begin another one.
	maxBatch     = 1 << 9
	maxBatchBits = 1 << 16
)

// reset begins a tick. Its cost follows the number of groups in batches of the last one.
func (b *spawnBatches) reset() {
	for i := range b.list {
		clear(b.of[b.list[i].first:][:b.list[i].groups])
	}
	for _, h := range b.none {
		b.of[h] = 0
	}
	b.list, b.none, b.ends, b.arena = b.list[:0], b.none[:0], b.ends[:0], b.arena[:0]
}

// spawnBatch returns the batch of the present tick that holds a public handle, or nil.
func (w *World) spawnBatch(h repl.Handle) *spawnBatch {
	b := &w.spawns
	for len(b.of) < w.state.Public.Len() {
		b.of = append(b.of, 0)
	}
	if b.of[h] == 0 {
		w.encodeBatch(h)
	}
	if b.of[h] == noBatch {
		return nil
	}
	return &b.list[b.of[h]-1]
}

// isLone reports whether a public handle has a group of one active entity that was born in it, and
// that the full of which concerns no other group.
func (w *World) isLone(h repl.Handle) bool {
	id := w.state.Public.Groups[h]
	if id == ident.NoGroup {
		return false
	}
	gr := &w.state.Groups[id]
	if !gr.Open || !gr.Alone() || len(gr.Left) > 0 || gr.TooLarge {
		return false
	}
	m := &gr.Members[0]
	_, trail := w.state.Trails[m.Slot]
	return !trail && !w.state.IsPaused(m.Slot) && w.state.IsNative(id, m)
}

// encodeBatch encodes the batch that begins with a public handle, or notes that there is none.
func (w *World) encodeBatch(first repl.Handle) {
	b, enc := &w.spawns, &w.bodies
	if !w.isLone(first) {
		b.of[first], b.none = noBatch, append(b.none, int32(first))
		return
	}
	gr := &w.state.Groups[w.state.Public.Groups[first]]
	comps, made := w.state.Slots.Mask[gr.Members[0].Slot], spawnBatch{first: first, generation: w.state.Public.Generation(int(first)), at: len(b.ends), off: len(b.arena)}
	enc.w.Reset(b.buf[:0])
	enc.refs.Reset()
	enc.here = body{key: bodyKey{kind: repl.Full, base: w.state.Tick, shaped: w.state.Tick, hidden: w.state.Tick}, bases: group.AllTime(w.state.Tick), shapes: group.AllTime(w.state.Tick), hidden: group.AllTime(w.state.Tick)}
	for h := first; made.groups < maxBatch && enc.w.LenBits() < maxBatchBits && int(h) < w.state.Public.Len() && b.of[h] == 0; h++ {
		if !w.isLone(h) {
			break
		}
		gr := &w.state.Groups[w.state.Public.Groups[h]]
		s := gr.Members[0].Slot
		if w.state.Public.Generation(int(h)) != made.generation || w.state.Slots.Mask[s] != comps {
			break
		}
		before := enc.w.LenBits()
		w.beginRecord()
		enc.w.Bool(true)
		w.encodeSet(s, comps)
		if len(enc.refs.Slots()) > 0 || enc.w.LenBits()-before > maxLoneBits {
			break
		}
		b.ends = append(b.ends, uint32(enc.w.LenBits()))
		made.groups++
	}
	b.buf = enc.w.Finish()
	if made.groups == 0 {
		b.of[first], b.none = noBatch, append(b.none, int32(first))
		return
	}
	b.arena = append(b.arena, b.buf...)
	made.begins, made.prefix = w.loneFull(&comps)
	b.list = append(b.list, made)
	for i := range made.groups {
		b.of[int(first)+i] = int32(len(b.list))
	}
}

// maxLoneBits is the size of the largest full in a batch: any message has room for it.
const maxLoneBits = 1 << 12

// loneFull returns what the body of a full of one entity begins with, before its values, as plainFull
// does, and the number of its bits.
func (w *World) loneFull(comps *set.Mask) (begins uint64, prefix int) {
	out := &w.bodies.w
	out.Reset(w.spawns.buf[:0])
	out.Bits(0b10, 2) // no leavers, alone
	w.sets.Append(out, comps)
	if prefix = out.LenBits(); prefix > maxPrefix {
		return 0, prefix
	}
	out.Bits(0, 64)
	w.spawns.buf = out.Finish()
	return leading(w.spawns.buf, prefix), prefix
}

// appendSpawns writes the fulls of groups from an index on that are in one batch and that the peer was
// not sent, as many as there is room for, and returns how many. The others are left to action.
func (p *Peer) appendSpawns(heads *repl.Heads, i, room int) (n int) {
	w := p.world
	if w.unshared || p.newGroups(i, i+1) == 0 {
		return 0
	}
	b := w.spawnBatch(repl.Handle(i))
	if b == nil || b.begins == 0 {
		return 0
	}
	// from is where the values of the first group begin, behind the bit that says that it is usual.
	ends, from := w.spawns.ends[b.at+i-int(b.first):][:int(b.first)+b.groups-i], uint32(1)
	if i > int(b.first) {
		from += w.spawns.ends[b.at+i-int(b.first)-1]
	}
	if p.w.LenBits()+b.fullBits(ends[0]-from) > room && !p.actions.LastIsEmpty() {
		return 0
	}
	rec := repl.Record{Kind: repl.Full, Group: repl.Handle(i), Tick: w.state.Tick, Generation: b.generation}
	if p.begins == b.begins && heads.Follows(&rec) {
		heads.AppendUsual(&p.w)
	} else {
		heads.Append(&p.w, &rec)
		p.w.Bits(0, noNeedsBits)
		p.w.Bits(b.begins&^(1<<b.prefix), uint(b.prefix))
	}
	written := p.w.LenBits()
	fit := 1 + sort.Search(len(ends)-1, func(k int) bool {
		return written+int(ends[k]-from)+b.fullBits(ends[k+1]-ends[k]-1) > room
	})
	n = p.newGroups(i, i+fit)
	heads.Skip(n - 1)
	p.begins = b.begins
	appendFrom(&p.w, w.spawns.arena[b.off:], int(from), int(ends[n-1]))
	p.sentSpawns(i, n)
	return n
}

// fullBits bounds a full of the batch with values of that many bits, and the end of a message behind it,
// as actionBits does.
func (b *spawnBatch) fullBits(values uint32) int {
	return lonePlainBits + b.prefix + int(values)
}

// lonePlainBits bounds an action that needs nothing and refers to nobody, without its body, and the end of a
// message behind it.
const lonePlainBits = repl.MaxHeadBits + 1 + 32 + 1 + 1 + repl.MaxRefBits + 2 + 7

// noNeedsBits is the bits of a full that needs nothing, is not predicted, and refers to nobody.
const noNeedsBits = 3

// newGroups returns how many public groups from an index on, and before another, are due and can be sent
// for the first time.
func (p *Peer) newGroups(i, end int) (n int) {
	sp := &p.public
	if _, due := sp.StructureDue.NextRun(i); due < end {
		end = due
	}
	if predicted := sp.Predicted.Next(i); predicted >= 0 && predicted < end {
		end = predicted
	}
	for n = 0; i+n < end && sp.Phase[i+n] == group.Absent && sp.ViewOf(i+n) == 0; n++ {
	}
	return n
}

// sentSpawns is sentAction for the first fulls of n groups.
func (p *Peer) sentSpawns(i, n int) {
	w, sp, tick := p.world, &p.public, p.state.Tick
	for _, id := range w.state.Public.Groups[i : i+n] {
		gr := &w.state.Groups[id]
		gr.Holders++
		gr.Withheld = false
	}
	for k := i; k < i+n; k++ {
		sp.Phase[k], sp.Seq[k] = group.Present, 0
		sp.Unacked[k] = sp.Unacked[k]<<1 | 1
	}
	p.noteSent(i, n, tick)
	sp.Steady.SetRange(i, i+n)
	p.actions.Add(flight.Action{Group: repl.Handle(i), Groups: int32(n), After: tick - 1})
}

// appendEnds writes the ends of public groups with consecutive handles from an index on, of which all
// members were despawned, as many as there is room for, and returns how many. The others are left to
// action.
func (p *Peer) appendEnds(heads *repl.Heads, i, room int) (n int) {
	w, sp := p.world, &p.public
	if w.unshared || !p.endsPlainly(i) {
		return 0
	}
	seq, after := sp.Seq[i].Next(), sp.StructureSent[i]
	for k := i; sp.StructureDue.Has(k) && sp.Seq[k].Next() == seq && sp.StructureSent[k] == after && p.endsPlainly(k); k++ {
		if p.w.LenBits()+lonePlainBits+1 > room && (n > 0 || !p.actions.LastIsEmpty()) {
			break
		}
		rec := repl.Record{Kind: repl.Gone, Group: repl.Handle(k), Seq: seq, Tick: w.state.Tick}
		if p.begins == plainEnd && heads.Follows(&rec) {
			heads.AppendUsual(&p.w)
		} else {
			heads.Append(&p.w, &rec)
			p.w.Bool(false) // no leavers
			p.begins = plainEnd
		}
		n++
	}
	if n > 0 {
		p.sentEnds(i, n, seq, after)
	}
	return n
}

// endsPlainly reports whether a public group has ended by the despawn of its members, so that its end says
// nothing more, and whether it may be sent now.
func (p *Peer) endsPlainly(i int) bool {
	w, sp := p.world, &p.public
	id := w.state.Public.Groups[i]
	if id == ident.NoGroup || sp.Phase[i] != group.Present || sp.Sent[i] == w.state.Tick || sp.StructureSent[i] == w.state.Tick {
		return false
	}
	if sp.Unacked[i]&windowFull != 0 || sp.Predicted.Has(i) || sp.Fragmented.Has(i) || sp.ViewOf(i) != 0 || len(p.vacant) > 0 {
		return false
	}
	gr := &w.state.Groups[id]
	return !gr.Open && !slices.ContainsFunc(gr.Left, func(l group.Leaver) bool { return l.Fate != repl.Despawned })
}

// sentEnds is sentAction for the ends of n groups.
func (p *Peer) sentEnds(i, n int, seq repl.Seq, after entangle.Tick) {
	sp, tick := &p.public, p.state.Tick
	for k := i; k < i+n; k++ {
		sp.Phase[k], sp.Seq[k] = group.Ending, seq
		sp.Unacked[k] = sp.Unacked[k]<<1 | 1
	}
	p.noteSent(i, n, tick)
	sp.Steady.ClearRange(i, i+n)
	p.actions.Add(flight.Action{Group: repl.Handle(i), Groups: int32(n), Seq: seq, After: after})
}

// noteSent notes that actions of public groups were sent that state all that the peer may see.
func (p *Peer) noteSent(i, n int, tick entangle.Tick) {
	sp := &p.public
	for _, ticks := range [...][]entangle.Tick{sp.Base, sp.StructureSent, sp.StructureAsOf, sp.Sent} {
		fill(ticks[i:i+n], tick)
	}
	if sp.Prev != nil {
		clear(sp.Prev[i : i+n])
	}
	sp.LastAction = tick
	for _, groups := range [...]set.Bitset{sp.WasSent, sp.ActionInFlight} {
		groups.SetRange(i, i+n)
	}
	for _, groups := range [...]set.Bitset{sp.AwaitsResync, sp.StructureDue, sp.Due, sp.NeedsFull} {
		groups.ClearRange(i, i+n)
	}
	p.stats.Actions += uint64(n)
}
