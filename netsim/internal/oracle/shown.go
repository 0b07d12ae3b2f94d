package oracle

import (
	"maps"
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// shownClient is what a client should show of interpolated entities.
type shownClient struct {
	client    entangle.ClientID
	watch     *Watch
	history   *history
	infos     []*registry.Component
	changes   []inspect.Interpolation // of this frame
	entities  map[ecs.Entity]*shownEntity
	originals map[ecs.Entity]ecs.Entity // the server's entities by the client's, of all times
	times     map[int]float64           // by interval: when entities were shown in the last frame
	had       map[int]bool              // intervals that some entity has, or had
	timelines map[int]shownTimeline
	packets   int // the interval of the server's packets
	count     map[string]int
}

// shownEntity is what a client should show of one entity. Its components are those of the server's entity at the
// newest received tick that the timeline has reached, and so are their values, except for those that are blended.
type shownEntity struct {
	entity    ecs.Entity
	original  ecs.Entity
	every     int
	predicted bool // and not shown in the past
	fresh     bool // it begins with its first received tick
	waiting   []entangle.Tick
	newest    entangle.Tick // received
	applied   entangle.Tick // the tick of its components, if any is
	any       bool
	leaving   bool
	end       entangle.Tick                   // if it is leaving
	once      map[int][]inspect.MirroredValue // allowed values of components that keep their first one
	motion    motion
}

// ShownBranches are the rare things that interpolated entities do.
var ShownBranches = []string{
	shownAtSpawn, shownHeld, shownExtrapolated, shownReturned, shownSnapped, shownTeleported, shownLate, shownInserted, shownRemoved, shownDespawned,
	shownInterrupted, shownResumed, shownOtherInterval, shownStood, shownWaited, shownOld, shownPlainBefore, shownTogether,
}

const (
	shownAtSpawn       = "shown: an entity appeared at its tick"
	shownHeld          = "shown: a value rested"
	shownExtrapolated  = "shown: a value was extrapolated"
	shownReturned      = "shown: a value came back from an extrapolation"
	shownSnapped       = "shown: a value waited to snap"
	shownTeleported    = "shown: a value waited to be teleported"
	shownLate          = "shown: a value moved to a late sample"
	shownInserted      = "shown: a component was inserted at its tick"
	shownRemoved       = "shown: a component was removed at its tick"
	shownDespawned     = "shown: an entity ended at its tick"
	shownInterrupted   = "shown: a prediction began"
	shownResumed       = "shown: a prediction ended"
	shownOtherInterval = "shown: the interval changed on the way"
	shownWaited        = "shown: an entity rested while others of its group moved"
	shownStood         = "shown: a timeline stood still"
	shownJump          = "shown: a timeline jumped" // which hardly ever happens
	shownPredicted     = "shown: an interpolation ended for good as a prediction began"
	shownFormerTarget  = "shown: a relation to an entity that the server has despawned"
	shownUnbegun       = "shown: a timeline had not begun"
	shownPaused        = "shown: a record of a paused entity had its state of before the pause"
	shownOld           = "shown: a component kept an old value"
	shownPlainBefore   = "shown: an entity in the world began to be interpolated"
	shownTogether      = "shown: several members of a group changed in a frame"
)

// isLeaving reports whether the end of an entity has arrived, and its tick is perhaps not shown yet.
func (c *shownClient) isLeaving(e ecs.Entity) bool {
	if c == nil {
		return false
	}
	return c.entities[e] != nil && c.entities[e].leaving || slices.ContainsFunc(c.changes, func(change inspect.Interpolation) bool {
		return change.Entity == e && change.Change == inspect.InterpolationLeaving
	})
}

// take takes in what has happened in a frame.
func (c *shownClient) take(client entangle.ClientID, change *inspect.Interpolation) {
	e := c.entities[change.Entity]
	if e == nil && change.Change != inspect.InterpolationEnded {
		e = c.begin(change)
	}
	switch change.Change {
	case inspect.InterpolationHeld:
		c.hold(client, e, change)
	case inspect.InterpolationReceived:
		c.receive(client, e, change)
	case inspect.InterpolationInterrupted:
		e.predicted, e.waiting = true, nil
		c.count[shownInterrupted]++
	case inspect.InterpolationResumed:
		c.resume(client, e)
	case inspect.InterpolationLeaving:
		e.leaving, e.end = true, change.Tick
	case inspect.InterpolationEnded:
		delete(c.entities, change.Entity)
	}
}

func (c *shownClient) begin(change *inspect.Interpolation) *shownEntity {
	e := &shownEntity{
		entity: change.Entity, every: change.Every, fresh: change.Hidden, predicted: change.Predicted,
		once: map[int][]inspect.MirroredValue{}, motion: motion{infos: c.infos, second: c.history.second, end: never},
	}
	if !e.fresh && !e.predicted {
		c.count[shownPlainBefore]++
	}
	c.entities[change.Entity], c.had[change.Every] = e, true
	return e
}

// receive adds the state of an entity as of a tick.
func (c *shownClient) receive(client entangle.ClientID, e *shownEntity, change *inspect.Interpolation) {
	e.original, _ = c.history.original(client, change.ID, change.Tick)
	c.originals[e.entity] = e.original
	c.setInterval(e, change.Every)
	e.waiting, e.newest = append(e.waiting, change.Tick), change.Tick
	if e.predicted {
		e.waiting = nil
	}
	s := c.sampleOf(client, e, change.Tick)
	last := len(e.motion.samples) - 1
	if last >= 0 && !e.predicted && !c.history.followedSince(e.original, client, change.Tick, change.Tick) {
		s.jumps = e.motion.samples[last].jumps // the client is not told of teleports any more
	}
	if len(s.values) > 0 {
		e.motion.add(s, c.times[e.every], float64(e.every))
	}
}

// hold adds what an entity was at a tick of its group at which it was not sent, because it had not changed.
func (c *shownClient) hold(client entangle.ClientID, e *shownEntity, change *inspect.Interpolation) {
	c.setInterval(e, change.Every)
	if n := len(e.motion.samples); n > 0 {
		s := c.sampleOf(client, e, change.Tick)
		s.jumps = e.motion.samples[n-1].jumps // it may be teleported after that
		e.motion.hold(s, c.times[e.every], float64(e.every))
		c.count[shownWaited]++
	}
}

// sampleOf returns the blended values of an entity as of a tick.
func (c *shownClient) sampleOf(client entangle.ClientID, e *shownEntity, tick entangle.Tick) sample {
	s := sample{tick: c.history.at(tick), jumps: c.history.teleportsAt(e.original, tick)}
	s.values = c.blended(c.history.visibleAt(e.original, client, tick))
	last := len(e.motion.samples) - 1
	if v := c.history.versionAt(e.original, tick); last >= 0 && (v == nil || v.state.Paused || v.views[client].retained) {
		s.values = maps.Clone(e.motion.samples[last].values) // nothing but its structure is sent
		if v != nil && v.state.Paused {
			s.paused = c.blended(c.history.visibleBeforePause(e.original, client, tick))
		}
	}
	return s
}

// blended returns the values of the blended components.
func (c *shownClient) blended(all []inspect.MirroredValue) map[int]decoded {
	values := map[int]decoded{}
	for _, v := range all {
		if info := c.infos[v.Component]; info.Interpolate == registry.Full && info.Plan.Size() > 0 && !info.Input {
			values[v.Component] = (&translation{}).decode(info, &v, nil)
		}
	}
	return values
}

// setInterval changes the timeline of an entity.
func (c *shownClient) setInterval(e *shownEntity, every int) {
	if e.every == every {
		return
	}
	was, some := c.times[e.every]
	if _, begun := c.times[every]; some && !begun {
		c.times[every] = was
	}
	m, now := &e.motion, c.times[every]
	base := m.present(was)
	e.every, c.had[every] = every, true
	switch {
	case m.resting(): // what is extrapolated goes on from the values of the last frame
		m.before, m.start = m.before+now-was, m.start+now-was
	case m.shown:
		base.tick = now // from the values of the last frame
		m.restart(base, float64(every))
		c.count[shownOtherInterval]++
	}
}

// resume makes an entity that was predicted begin with its newest state.
func (c *shownClient) resume(client entangle.ClientID, e *shownEntity) {
	c.count[shownResumed]++
	e.predicted, e.applied, e.any, e.waiting = false, e.newest, true, nil
	clear(e.once)
	for _, v := range c.history.visibleAt(e.original, client, e.newest) {
		e.once[v.Component] = []inspect.MirroredValue{v}
	}
	if _, some := c.times[e.every]; some && len(e.motion.samples) > 0 && !e.motion.shown {
		m := &e.motion
		m.restart(m.present(c.times[e.every]), float64(e.every))
	}
}

// reach shows the components of an entity as of a received tick.
func (c *shownClient) reach(client entangle.ClientID, e *shownEntity, tick entangle.Tick) {
	now, was := c.history.visibleAt(e.original, client, tick), []inspect.MirroredValue(nil)
	switch {
	case e.any:
		was = c.history.visibleAt(e.original, client, e.applied)
	case e.fresh:
		c.count[shownAtSpawn]++
	}
	for _, v := range now {
		if !has(was, v.Component) && (e.any || e.fresh) {
			e.once[v.Component] = []inspect.MirroredValue{v}
		} else if e.once[v.Component] == nil {
			e.once[v.Component] = c.history.allValues(e.original, v.Component)
		}
		if e.any && !has(was, v.Component) {
			c.count[shownInserted]++
			if first, blended := c.blended(now)[v.Component]; blended {
				e.motion.reinsert(v.Component, first, c.history.at(tick))
			}
		}
	}
	for _, v := range was {
		if !has(now, v.Component) {
			c.count[shownRemoved]++
			if !has(c.history.visibleAt(e.original, client, e.newest), v.Component) {
				e.motion.remove(v.Component)
			}
			delete(e.once, v.Component)
		}
	}
	e.applied, e.any = tick, true
}

func has(all []inspect.MirroredValue, component int) bool {
	return slices.ContainsFunc(all, func(v inspect.MirroredValue) bool { return v.Component == component })
}
