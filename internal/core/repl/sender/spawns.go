package sender

import (
	"slices"
	"sort"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// appendSpawns writes the fulls of groups from an index on that are in one batch and that the peer was
// not sent, as many as there is room for, and returns how many. appendActions writes the others one by one.
func (a *actions) appendSpawns(heads *repl.Heads, i, room int) (n int) {
	if a.enc.Unshared || a.newGroups(i, i+1) == 0 {
		return 0
	}
	b := a.enc.SpawnBatch(repl.Handle(i))
	if b == nil {
		return 0
	}
	// from is where the values of the first group begin, behind the bit that says that it is usual.
	ends, from := a.enc.Spawns.Ends[b.At+i-int(b.First):][:int(b.First)+b.Count-i], uint32(1)
	if i > int(b.First) {
		from += a.enc.Spawns.Ends[b.At+i-int(b.First)-1]
	}
	most := a.enc.FullBits(b) // without the values
	if a.w.LenBits()+most+int(ends[0]-from) > room && len(a.messages.Written) > 0 {
		return 0
	}
	a.beginMessage(ofSingles)
	rec := repl.Record{Kind: repl.Full, Group: repl.Handle(i), Tick: a.state.Tick, Generation: b.Generation}
	if like := (usual{true, b.Comps}); a.last == like && heads.Follows(&rec) {
		heads.AppendUsual(&a.w)
	} else {
		heads.Append(&a.w, &rec)
		a.enc.AppendUsualStart(&a.w, &b.Comps)
		a.last = like
	}
	written := a.w.LenBits()
	fit := 1 + sort.Search(len(ends)-1, func(k int) bool {
		return written+int(ends[k]-from)+most+int(ends[k+1]-ends[k]-1) > room
	})
	n = a.newGroups(i, i+fit)
	heads.Skip(n - 1)
	encode.AppendBits(&a.w, a.enc.Spawns.Arena[b.Off:], int(from), int(ends[n-1]))
	a.noteSent(&a.groups.Public, i, n, &rec)
	return n
}

// newGroups returns how many public groups from an index on, and before another, are due and can be sent
// for the first time. It does not look at Space.Ending: a group that ends has no members, and is in no batch.
func (a *actions) newGroups(i, end int) (n int) {
	sp := &a.groups.Public
	if _, due := sp.StructureDue.NextRun(i); due < end {
		end = due
	}
	for _, others := range [...]set.Bitset{sp.Present, sp.Predicted, sp.Partial} {
		if other := others.Next(i); other >= 0 && other < end {
			end = other
		}
	}
	return max(end-i, 0)
}

// appendEnds writes the ends of public groups with consecutive handles from an index on, of which all
// members were despawned, as many as there is room for, and returns how many. appendActions writes the others
// one by one.
func (a *actions) appendEnds(heads *repl.Heads, i, room int) (n int) {
	sp := &a.groups.Public
	if a.enc.Unshared || !a.endsUsually(i) {
		return 0
	}
	rec := repl.Record{Kind: repl.Gone, Group: repl.Handle(i), Tick: a.state.Tick, From: repl.From{Base: sp.ActionSent[i]}}
	for k := i; sp.StructureDue.Has(k) && sp.Seq[k] == sp.Seq[i] && sp.ActionSent[k] == sp.ActionSent[i] && a.endsUsually(k); k++ {
		if a.w.LenBits()+encode.MaxUsualBits+1 > room && (n > 0 || len(a.messages.Written) > 0) {
			break
		}
		rec.Group = repl.Handle(k)
		a.beginMessage(ofSingles)
		if a.last == usualEnd && heads.Follows(&rec) {
			heads.AppendUsual(&a.w)
		} else {
			heads.Append(&a.w, &rec)
			a.w.Bool(false) // no leavers
			a.last = usualEnd
		}
		n++
	}
	if n > 0 {
		a.noteSent(sp, i, n, &rec)
	}
	return n
}

// endsUsually reports whether a public group has ended by the despawn of its members, so that its end says
// nothing more, and whether it may be sent now.
func (a *actions) endsUsually(i int) bool {
	sp := &a.groups.Public
	id := a.state.Public.Groups[i]
	if id == ident.NoGroup || !sp.Present.Has(i) {
		return false
	}
	if sp.Unacked[i]&windowEnd != 0 || sp.Predicted.Has(i) || sp.Fragmented.Has(i) {
		return false
	}
	gr := &a.state.Groups[id]
	return !gr.Open && !slices.ContainsFunc(gr.Left, func(l group.Leaver) bool { return l.Fate != repl.Despawned })
}
