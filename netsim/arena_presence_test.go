package netsim_test

import (
	"math/rand/v2"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// Components of arenas that are added and removed independent of the rules, and that no rule reads.
type (
	// arenaBadge has the mode Once. The server adds it to bodies, removes it, and changes Shine,
	// which clients do not receive.
	arenaBadge struct {
		Serial uint16
		Shine  uint16
	}
	// arenaLabel exists on a client only. The client adds and removes it between ticks.
	arenaLabel struct{ Number uint8 }
)

// arenaBadges changes badges on the server.
type arenaBadges struct {
	badges generic.Map1[arenaBadge]
	bodies *generic.Filter1[arenaColour]
	serial uint16
	rng    *rand.Rand // a generator of its own, so that the game is the same with and without badges
}

func newArenaBadges(w *ecs.World, rng *rand.Rand) arenaBadges {
	return arenaBadges{
		badges: generic.NewMap1[arenaBadge](w), bodies: generic.NewFilter1[arenaColour](),
		rng: rng,
	}
}

// change adds, changes and removes badges of some bodies.
func (b *arenaBadges) change(w *ecs.World) {
	var some []ecs.Entity
	for q := b.bodies.Query(w); q.Next(); {
		if b.rng.IntN(16) == 0 {
			some = append(some, q.Entity())
		}
	}
	for _, e := range some {
		switch badge := b.badges.Get(e); {
		case badge == nil:
			b.serial++
			b.badges.Assign(e, &arenaBadge{Serial: b.serial})
		case b.rng.IntN(2) == 0:
			badge.Shine++
		default:
			b.badges.Remove(e)
		}
	}
}

// arenaPresence checks that badges are added and removed as on the server and keep their first
// value, and that labels stay as the client set them between ticks, in spite of rollbacks.
type arenaPresence struct {
	world     *ecs.World
	bodies    *generic.Filter2[arenaPlace, components.Predicted]
	badges    generic.Map1[arenaBadge]
	labels    generic.Map1[arenaLabel]
	confirmed plugin.Confirmed[arenaBadge]

	inserted plugin.Reader[plugin.ComponentInserted[arenaBadge]]
	updated  plugin.Reader[plugin.ComponentUpdated[arenaBadge]]
	removed  plugin.Reader[plugin.ComponentRemoved[arenaBadge]]

	labelled map[ecs.Entity]uint8
	shown    map[ecs.Entity]arenaBadge    // the values with which badges arrived
	fresh    map[ecs.Entity]bool          // a badge has arrived and has not been checked
	replaced map[ecs.Entity]bool          // another badge may have arrived while the client had despawned the body
	changed  map[ecs.Entity]entangle.Tick // when a badge was added or removed
}

func newArenaPresence(w *ecs.World) *arenaPresence {
	return &arenaPresence{
		world:  w,
		bodies: generic.NewFilter2[arenaPlace, components.Predicted]().Without(generic.T[arenaDrone]()),
		badges: generic.NewMap1[arenaBadge](w), labels: generic.NewMap1[arenaLabel](w),
		confirmed: plugin.NewConfirmed[arenaBadge](w),
		inserted:  plugin.NewReader[plugin.ComponentInserted[arenaBadge]](w),
		updated:   plugin.NewReader[plugin.ComponentUpdated[arenaBadge]](w),
		removed:   plugin.NewReader[plugin.ComponentRemoved[arenaBadge]](w),
		labelled:  map[ecs.Entity]uint8{}, shown: map[ecs.Entity]arenaBadge{},
		fresh: map[ecs.Entity]bool{}, replaced: map[ecs.Entity]bool{}, changed: map[ecs.Entity]entangle.Tick{},
	}
}

// label adds and removes labels. It runs in Receive.
func (p *arenaPresence) label(rng *rand.Rand) {
	for _, e := range p.predicted() {
		if rng.IntN(16) > 0 {
			continue
		}
		if _, has := p.labelled[e]; has {
			delete(p.labelled, e)
			p.labels.Remove(e)
		} else {
			p.labelled[e] = uint8(rng.IntN(256))
			p.labels.Assign(e, &arenaLabel{p.labelled[e]})
		}
	}
}

func (p *arenaPresence) predicted() (all []ecs.Entity) {
	for q := p.bodies.Query(p.world); q.Next(); {
		all = append(all, q.Entity())
	}
	return all
}

// recordBadges records the badges that were added and removed since the last frame.
func (p *arenaPresence) recordBadges(now entangle.Tick) {
	for _, event := range p.inserted.Read() {
		p.fresh[event.Entity], p.changed[event.Entity] = true, now
	}
	for _, event := range p.updated.Read() {
		p.replaced[event.Entity] = true
	}
	for _, event := range p.removed.Read() {
		p.changed[event.Entity] = now
	}
}

// spanned counts the bodies of which a badge was added or removed in a tick after from, to which
// the client has rolled back.
func (p *arenaPresence) spanned(from entangle.Tick) (n int) {
	for _, e := range p.predicted() {
		if at, changed := p.changed[e]; changed && from.Before(at) {
			n++
		}
	}
	return n
}

func (o *arenaOracle) expectPresence() {
	p := o.presence
	for _, e := range p.predicted() {
		_, _, should := p.confirmed.Get(e)
		badge := p.badges.Get(e)
		if (badge != nil) != should {
			o.fail("%v has the badge %+v; that it should have one is %v", e, badge, should)
		}
		if badge != nil {
			o.expectFirst(e, *badge)
		}
		number, should := p.labelled[e]
		if label := p.labels.Get(e); (label != nil) != should || should && label.Number != number {
			o.fail("%v has the label %+v; that it should have one is %v, namely %d", e, label, should, number)
		}
	}
}

// expectFirst checks that a badge has the value with which it arrived.
func (o *arenaOracle) expectFirst(e ecs.Entity, badge arenaBadge) {
	p := o.presence
	was := p.shown[e]
	newer := badge.Serial > was.Serial
	if p.fresh[e] && !newer || !p.fresh[e] && badge != was && !(newer && p.replaced[e]) {
		o.fail("%v has the badge %+v after %+v; that a new one came is %v", e, badge, was, p.fresh[e])
	}
	p.shown[e], p.fresh[e], p.replaced[e] = badge, false, false
}

// labels returns a client's own system.
func (g *arenaGuest) labels(w *ecs.World) func() {
	g.oracle.presence = newArenaPresence(w)
	rng := rand.New(rand.NewPCG(g.arena.seed, uint64(g.id)<<32|0x6c6162656c))
	return func() {
		if g.Client().Stats().Clock.Synced {
			g.oracle.presence.label(rng)
		}
	}
}
