package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// freeHandles frees the handles of a group that is about to be freed. It does nothing and reports keep if one of them
// waits for freeRetired: then the handle is freed at the same time whether the group ended or was hidden, which the peer
// must not be able to distinguish.
func (w *World) freeHandles(id ident.GroupIndex) (keep bool) {
	gr := &w.state.Groups[id]
	if slices.ContainsFunc(gr.Viewers, func(v ident.Viewer) bool { return w.byIndex[v.Peer()].visibility.retiring.set.Has(v.Handle()) }) {
		return true
	}
	for _, v := range gr.Viewers {
		w.byIndex[v.Peer()].visibility.freeHandle(v.Handle())
	}
	if !gr.Private {
		w.resetPublicView(int(gr.Handle))
	}
	return false
}

// resetPublicView resets the views and predicted sets of a freed public handle at all peers.
func (w *World) resetPublicView(h int) {
	for _, p := range w.peers {
		if sp := &p.groups.Public; sp.ViewOf(h) != 0 || sp.Predicted.Has(h) || p.joining.left > 0 {
			p.visibility.resetView(sp, h)
		}
	}
}
