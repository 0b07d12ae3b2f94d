package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/schedule"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
)

// predictions records which peers predict which entities: their indexes, by entity.
type predictions map[repl.Slot]set.Bitset

func (f predictions) predicts(s repl.Slot, index uint16) bool { return f[s].Has(int(index)) }

// addPeer notes that a peer predicts an entity.
func (f predictions) addPeer(s repl.Slot, index uint16) {
	peers := f[s]
	peers.Grow(int(index) + 1)
	peers.Set(int(index))
	f[s] = peers
}

// removePeer notes that a peer does not predict an entity any more.
func (f predictions) removePeer(s repl.Slot, index uint16) {
	if f[s].Clear(int(index)); f[s].Empty() {
		delete(f, s)
	}
}

// forgetPeer removes a peer that was closed.
func (f predictions) forgetPeer(index uint16) {
	for s := range f {
		if f.predicts(s, index) {
			f.removePeer(s, index)
		}
	}
}

// prediction is what one peer predicts, and was sent of that.
type prediction struct {
	groups      *group.Peer
	state       *group.State
	plan        *schedule.Planner // has the predicted groups
	predictions predictions       // of all peers
	stale       set.Bitset        // groups with an outdated predicted set
	stated      statedSet         // of the action that is being written
	needs       []repl.Need       // of the mark that is being written
}

// Predict sets whether the peer predicts an entity. While the entity is shown to it and not paused, the peer is sent that
// it predicts the entity. Groups with a predicted member are sent to the peer first and together, and are followed by a
// mark (marks.go). The setting lasts until the entity ends, in every group that it moves to.
func (pr *prediction) Predict(s repl.Slot, on bool) {
	if !pr.state.Slots.Used.Has(int(s)) || pr.predictions.predicts(s, pr.groups.Index) == on {
		return
	}
	if on {
		pr.predictions.addPeer(s, pr.groups.Index)
	} else {
		pr.predictions.removePeer(s, pr.groups.Index)
	}
	pr.markStale(pr.state.Slots.Group[s])
}

// Predicts reports whether the peer predicts an entity, and the entity is shown to it.
func (pr *prediction) Predicts(s repl.Slot) bool {
	if !pr.state.Slots.Used.Has(int(s)) || !pr.predictions.predicts(s, pr.groups.Index) {
		return false
	}
	sp, i := pr.groups.Locate(pr.state.Slots.Group[s])
	if i < 0 || !pr.predictsIn(sp, i) {
		return false
	}
	_, m := pr.state.Member(s)
	return pr.predictsMember(sp.ViewOf(i), m)
}

// predictsIn reports whether a group is shown to the peer, so that it can predict members of it.
func (pr *prediction) predictsIn(sp *group.Space, i int) bool {
	id := sp.Group(i)
	return id != ident.NoGroup && pr.state.Groups[id].Open && !sp.Retained.Has(i) && pr.groups.SeesGroup(id)
}

// predictsMember reports whether the peer predicts a member of a group that is shown to it.
func (pr *prediction) predictsMember(v view.ID, m *group.Member) bool {
	return !pr.state.IsPaused(m.Slot) && pr.predictions.predicts(m.Slot, pr.groups.Index) && !pr.state.Views.HidesMember(v, m.Number)
}

// predictsSome reports whether the peer predicts any member of a group.
func (pr *prediction) predictsSome(sp *group.Space, i int) bool {
	if len(pr.predictions) == 0 || !pr.predictsIn(sp, i) {
		return false
	}
	members := pr.state.Groups[sp.Group(i)].Members
	for k := range members {
		if pr.predictsMember(sp.ViewOf(i), &members[k]) {
			return true
		}
	}
	return false
}

// markPredictionsStale makes Commit update the predicted sets of all peers that predict an entity, for a group that the
// entity has joined or left, or in which it was paused or resumed.
func (w *World) markPredictionsStale(s repl.Slot, id ident.GroupIndex) {
	peers := w.predictions[s]
	for index := peers.Next(0); index >= 0; index = peers.Next(index + 1) {
		w.byIndex[index].prediction.markStale(id)
	}
}

// markStale makes updateStale update the peer's predicted set of a group.
func (pr *prediction) markStale(id ident.GroupIndex) {
	pr.stale.Grow(int(id) + 1)
	pr.stale.Set(int(id))
}

// updateStale updates the peer's predicted sets of the groups that changed in this tick: each once, as a group may have
// thousands of members.
func (pr *prediction) updateStale() {
	for id := pr.stale.Next(0); id >= 0; id = pr.stale.Next(id + 1) {
		pr.stale.Clear(id)
		if sp, i := pr.groups.Locate(ident.GroupIndex(id)); i >= 0 {
			pr.updatePredicted(sp, i)
		}
	}
}

// updatePredicted updates the peer's predicted set of a group, and makes the set due if it differs
// from the one sent last. Marks include the group until the peer has acknowledged an empty set.
func (pr *prediction) updatePredicted(sp *group.Space, i int) {
	some := pr.predictsSome(sp, i)
	switch has := sp.Predicted.Has(i); {
	case !some && !has:
		return
	case some && !has:
		pr.beginPredicted(sp, i)
	case !some && !pr.plan.Predicted[pr.plan.SearchPredicted(sp, i)].MayPredict:
		pr.forgetPredicted(sp, i)
		return
	}
	if sp.Present.Has(i) {
		pr.markPredictedStale(sp, i)
	}
}

// markPredictedStale makes the peer's predicted set for a group due again, if the set that was sent
// last is stale.
func (pr *prediction) markPredictedStale(sp *group.Space, i int) {
	pr.findPredicted(sp, i, repl.Change)
	f := &pr.plan.Predicted[pr.plan.SearchPredicted(sp, i)]
	if f.Stale = !slices.Equal(f.Sent, pr.stated.members); f.Stale {
		sp.StructureDue.Set(i)
	}
}

// predictedStale reports whether the peer's predicted set for a group must be resent.
func (pr *prediction) predictedStale(sp *group.Space, i int) bool {
	return sp.Predicted.Has(i) && pr.plan.Predicted[pr.plan.SearchPredicted(sp, i)].Stale
}

// beginPredicted adds a group to the predicted groups.
func (pr *prediction) beginPredicted(sp *group.Space, i int) {
	pr.plan.Predicted = slices.Insert(pr.plan.Predicted, pr.plan.SearchPredicted(sp, i), schedule.PredictedGroup{Group: sp.First + repl.Handle(i), FirstSent: pr.state.Tick})
	sp.Predicted.Set(i)
	if pr.state.WaitsForTurn(sp.Group(i)) {
		sp.MarkDue(i, pr.state.Tick)
	}
}

// forgetPredicted removes a group from the predicted groups.
func (pr *prediction) forgetPredicted(sp *group.Space, i int) {
	if !sp.Predicted.Has(i) {
		return
	}
	at := pr.plan.SearchPredicted(sp, i)
	pr.plan.Predicted = slices.Delete(pr.plan.Predicted, at, at+1)
	sp.Predicted.Clear(i)
}

// dropEmptyPredicted removes a group from the predicted groups if its predicted set is empty. It is called when no
// action of the group is in flight, so that the peer has the last predicted set.
func (pr *prediction) dropEmptyPredicted(sp *group.Space, i int) {
	if !sp.Predicted.Has(i) {
		return
	}
	f := &pr.plan.Predicted[pr.plan.SearchPredicted(sp, i)]
	if f.MayPredict = len(f.Sent) > 0; !f.MayPredict && !pr.predictsSome(sp, i) {
		pr.forgetPredicted(sp, i)
	}
}

// statedSet is what an action states about the predicted members of a group, and all that are predicted after it, by
// rising number.
type statedSet struct {
	set     repl.Predicted
	members []repl.Member
}

// findPredicted sets stated to what an action of a group must state.
func (pr *prediction) findPredicted(sp *group.Space, i int, kind repl.Kind) {
	pr.stated.set, pr.stated.members = pr.stated.set[:0], pr.stated.members[:0]
	if kind == repl.Gone || !sp.Predicted.Has(i) {
		return
	}
	var members []group.Member
	if pr.predictsIn(sp, i) {
		members = pr.state.Groups[sp.Group(i)].Members
	}
	v, sent := sp.ViewOf(i), pr.plan.Predicted[pr.plan.SearchPredicted(sp, i)].Sent
	if kind == repl.Full {
		sent = nil
	}
	for k := range members {
		m := &members[k]
		if !pr.predictsMember(v, m) {
			continue
		}
		pr.stated.members = append(pr.stated.members, m.Number)
		var was bool
		if sent, was = pr.statePredictionEnds(sent, m.Number); !was || sp.StructureAsOf[i].Before(m.WholeSince) {
			pr.stated.set = append(pr.stated.set, repl.PredictedMember{Number: m.Number, On: true})
		}
	}
	pr.statePredictionEnds(sent, repl.MaxMembers)
}

// statePredictionEnds states that the members before a number are not predicted any more, even those that left, of which
// the peer must not learn from a group that is hidden from it. It returns the members after the number, and whether the
// number was among them.
func (pr *prediction) statePredictionEnds(sent []repl.Member, next repl.Member) (after []repl.Member, was bool) {
	for ; len(sent) > 0 && sent[0] < next; sent = sent[1:] {
		pr.stated.set = append(pr.stated.set, repl.PredictedMember{Number: sent[0]})
	}
	if was = len(sent) > 0 && sent[0] == next; was {
		sent = sent[1:]
	}
	return sent, was
}

// noteSentPredicted notes that an action of a predicted group was sent with the set that findPredicted
// found.
func (pr *prediction) noteSentPredicted(sp *group.Space, i int) {
	f := &pr.plan.Predicted[pr.plan.SearchPredicted(sp, i)]
	f.Sent = append(f.Sent[:0], pr.stated.members...)
	f.Stale, f.MayPredict = false, f.MayPredict || len(f.Sent) > 0
}
