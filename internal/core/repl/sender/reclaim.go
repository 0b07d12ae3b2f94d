package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// freeHandles frees the handles of a group that ended everywhere and gives no entity its id, so that it can be
// freed. It reports that the group is to be kept if freeRetired is to free one of the handles: a peer must not be
// able to tell a group that ended from one that was hidden.
func (w *World) freeHandles(id ident.Group) (keep bool) {
	gr := &w.state.Groups[id]
	if slices.ContainsFunc(gr.Viewers, func(v ident.Viewer) bool { return w.byIndex[v.Peer()].retiring.set.Has(v.Handle()) }) {
		return true
	}
	for _, v := range gr.Viewers {
		w.byIndex[v.Peer()].unreserve(v.Handle())
	}
	if !gr.Private {
		w.disregard(int(gr.Handle))
	}
	return false
}

// disregard has all peers disregard a public group that is gone.
func (w *World) disregard(h int) {
	for _, p := range w.peers {
		if sp := &p.groups.Public; sp.ViewOf(h) != 0 || sp.Predicted.Has(h) || p.joining.left > 0 {
			p.disregard(sp, h)
		}
	}
}
