package oracle

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// sendRate holds the send settings of an entity's Replicate and of those of its ancestors.
type sendRate struct {
	interval  int
	predicted bool // some client may predict it: no interval applies to that client
}

// sendRateOf returns the send settings of an entity.
func (v *visibility) sendRateOf(e ecs.Entity) (p sendRate) {
	for ok := true; ok; e, ok = v.parentOf(e) {
		m := v.replicateOf(e)
		if m == nil {
			break
		}
		p.interval = cmp.Or(p.interval, int(m.SendEvery))
		p.predicted = p.predicted || m.Predict != components.Default && m.Predict != components.Nobody
	}
	p.interval = max(p.interval, 1)
	return p
}

// updateKey identifies the updates of one entity for one client.
type updateKey struct {
	client entangle.ClientID
	entity ecs.Entity
}

// updateHistory records the ticks of the latest updates, and the delays of clients.
type updateHistory struct {
	updates  map[updateKey]entangle.Tick
	previous map[entangle.Tick]entangle.Tick // the tick recorded before a tick
	delays   map[entangle.ClientID]delays
}

// delays counts what sends values to a client outside of their turns: resends, and throttled packets,
// which leave out turns. tick is the tick in which either count was last seen to grow.
type delays struct {
	resent, throttled uint64
	tick              entangle.Tick
}

func newUpdateHistory() updateHistory {
	return updateHistory{updates: map[updateKey]entangle.Tick{}, previous: map[entangle.Tick]entangle.Tick{}, delays: map[entangle.ClientID]delays{}}
}

// checkInterval checks that the values of a group with an interval are sent to a client once per
// interval, as long as there are no other changes of the group, no data was lost, and neither a cap
// nor throttling delays them. A recorded tick also stands for the unrecorded ticks before it.
func (h *history) checkInterval(sent *endpoint.SentEntity) error {
	if of := h.delays[sent.Client]; of.resent != sent.Resent || of.throttled != sent.Throttled {
		h.delays[sent.Client] = delays{sent.Resent, sent.Throttled, sent.Tick}
	}
	if !sent.Update || sent.Capped {
		return nil
	}
	key := updateKey{sent.Client, sent.Entity}
	last, again := h.updates[key]
	h.updates[key] = sent.Tick
	interval, steady := h.sendInterval(sent, last)
	if again && steady && int(sent.Tick.Sub(h.previous[last])) <= interval {
		return fmt.Errorf("client %d is sent values of %v as of tick %d, and was as of %d: its group is sent every %d ticks",
			sent.Client, sent.Entity, sent.Tick, last, interval)
	}
	return nil
}

// sendInterval returns the interval of an entity's group. steady reports whether, since two
// intervals before the last update, the group had the same members with changes of values only, and
// nothing to the client was resent or throttled.
func (h *history) sendInterval(sent *endpoint.SentEntity, last entangle.Tick) (interval int, steady bool) {
	was := h.versionAt(sent.Entity, sent.Tick)
	members := h.groups[sent.Tick][was.group]
	interval = was.rate.interval
	for _, e := range members {
		interval = min(interval, h.versionAt(e, sent.Tick).rate.interval)
	}
	from := last - entangle.Tick(2*interval)
	if !h.connected[sent.Client].Before(from) || !h.delays[sent.Client].tick.Before(from) || !slices.Equal(members, h.groups[last][was.group]) {
		return interval, false
	}
	for _, e := range members {
		if !h.onlyValuesChanged(e, from) {
			return interval, false
		}
	}
	return interval, true
}

// onlyValuesChanged reports whether only the values of an entity have changed since a tick.
func (h *history) onlyValuesChanged(e ecs.Entity, from entangle.Tick) bool {
	list := h.versions[e]
	now := &list[len(list)-1]
	first := firstAfter(list, from, versionTick) - 1
	if first < 0 || now.rate.predicted || now.state.Paused {
		return false
	}
	for i := range list[first:] {
		v := list[first+i]
		if v.state.Values = now.state.Values; !slices.EqualFunc(list[first+i].state.Values, now.state.Values, sameComponent) || !v.equal(now) {
			return false
		}
	}
	return true
}

func sameComponent(a, b inspect.MirroredValue) bool { return a.Component == b.Component }
