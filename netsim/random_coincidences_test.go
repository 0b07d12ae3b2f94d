package netsim_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
	"github.com/mlange-42/arche/listener"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
)

// endingPlan draws rare coincidences of several changes within a few ticks: a Retained entity
// becomes invisible as one of its components is overridden, or an entity loses its Replicate as it
// is removed. It has its own random numbers.
type endingPlan struct{ *rand.Rand }

// endings is the average number of ticks between two of them.
const endings = 10

// planCoincidence begins one of them in a tick to come.
func (p *plan) planCoincidence(n int) {
	d := p.endings
	switch {
	case d.IntN(endings) > 0:
	case p.interest && d.IntN(3) > 0:
		p.hideEntity(n)
	default:
		p.perish(n)
	}
}

// extra spawns an entity that the rest of the plan does not touch, and returns its name and
// components.
func (p *plan) extra(at, replicate string) (name string, has []string) {
	d := p.endings
	p.names++
	name = fmt.Sprintf("e%d", p.names)
	values := map[string]string{"life": "life=3", "path": "path=1,2,3", "stamp": "stamp=7", "chart": "chart=@,1*12", "bulk": "bulk=5*70"}
	words := []string{"place=1,1"}
	for _, component := range overridden {
		if value := values[component]; value != "" && d.IntN(2) == 0 {
			has, words = append(has, component), append(words, value)
		}
	}
	p.say("%sspawn %s %s %s", at, name, strings.Join(words, " "), replicate)
	return name, has
}

// leavePaused pauses one of two members of a group and makes the other one invisible to a client that
// sees both, in about the same tick or later.
func (p *plan) leavePaused(n int) {
	d := p.pauses
	if !p.interest || d.IntN(6*endings) > 0 {
		return
	}
	stays, goes, client := fmt.Sprintf("e%d", p.names+1), fmt.Sprintf("e%d", p.names+2), 1+d.IntN(p.clients)
	p.names += 2
	for _, e := range []string{stays, goes} {
		p.say("%sspawn %s place=1,1 Replicate=Group:%d,Relevance:%d", inTick(n), e, 1000+p.names, 1+d.IntN(4)/3)
		p.say("%sgain %s %d", inTick(n), e, client)
	}
	n += 5 + d.IntN(15)
	p.say("%sremove %s Replicate", inTick(n), stays)
	n += d.IntN(10)
	p.say("%slose %s %d", inTick(n), goes, client)
	if d.IntN(2) == 0 {
		n += d.IntN(10)
		p.say("%sgain %s %d", inTick(n), goes, client)
	}
	n += 10 + d.IntN(10)
	p.say("%sdespawn %s", inTick(n), goes)
	p.say("%sdespawn %s", inTick(n), stays)
}

func inTick(n int) string { return fmt.Sprintf("tick %d ", n) }

// hideEntity makes a Retained entity invisible to a client, in one of several ways, one of which
// includes a change of its group. In about the same tick, one of its components, present or not, is
// hidden from the client.
func (p *plan) hideEntity(n int) {
	d := p.endings
	e, has := p.extra(inTick(n), "Replicate=Relevance:2")
	clients, room := strconv.Itoa(1+d.IntN(p.clients)), p.otherRoom()
	if d.IntN(2) == 0 {
		clients = []string{"1", "1,2", "1,2,3", "1,2,3,4"}[p.clients-1]
	}
	ends := n + 3 + d.IntN(8)
	leave := []string{fmt.Sprintf("lose %s %s", e, clients)}
	switch d.IntN(5) {
	case 0:
		p.say("%sroom %d add entity %s", inTick(n), room, e)
		p.say("%sroom %d add client %s", inTick(n), room, clients)
		leave = []string{fmt.Sprintf("room %d remove entity %s", room, e)}
	case 1:
		p.say("%sgain %s %s", inTick(n), e, clients)
		leave = append(leave, fmt.Sprintf("target %s except %s", e, clients))
	case 2:
		p.say("%sgain %s %s", inTick(n), e, clients)
		leave = append(leave, fmt.Sprintf("remove %s Replicate", e))
	case 3:
		p.say("%sgain %s %s", inTick(n), e, clients)
		leave = append(leave, fmt.Sprintf("group %s %d", e, 1000+p.names))
	default:
		p.say("%sgain %s %s", inTick(n), e, clients)
	}
	component := overridden[d.IntN(len(overridden))]
	if len(has) > 0 && d.IntN(2) == 0 {
		component = has[d.IntN(len(has))]
	}
	audience := []string{"except " + clients, "nobody", fmt.Sprintf("room %d", p.otherRoom())}[d.IntN(3)]
	steps := append(leave, fmt.Sprintf("override %s %s %s", e, component, audience))
	d.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	for _, step := range steps {
		p.say("%s%s", inTick(ends), step)
		if d.IntN(4) == 0 { // in the next tick, which may be of the same send
			ends++
		}
	}
	ends += 10 + d.IntN(20)
	if d.IntN(2) == 0 {
		p.say("%sgain %s %s", inTick(ends), e, clients)
		ends += 10 + d.IntN(10)
	}
	p.say("%sdespawn %s", inTick(ends), e)
}

// otherRoom is room with the random numbers of endings.
func (p *plan) otherRoom() int { return 1 + p.endings.IntN(rooms) }

// perish has an entity lose its Replicate and be removed in one tick, or one after the other: a
// single entity, a parent with a child, a child, or one of several in a group.
func (p *plan) perish(n int) {
	d := p.endings
	mark := "Replicate=Group:0"
	if p.interest {
		mark += []string{"", ",Relevance:1", ",Relevance:2", ",Relevance:2"}[d.IntN(4)]
	}
	ends, kind := n+3+d.IntN(8), d.IntN(5)
	if kind == 4 {
		mark = strings.Replace(mark, "Group:0", fmt.Sprintf("Group:%d", 1+d.IntN(3)), 1)
	}
	e, _ := p.extra(inTick(n), mark)
	last := []string{e} // to be removed in the end
	switch kind {
	case 2:
		child, _ := p.extra(inTick(n), []string{"", "Replicate"}[d.IntN(2)])
		p.say("%sattach %s %s", inTick(n), child, e)
	case 3:
		parent, _ := p.extra(inTick(n), mark)
		p.say("%sattach %s %s", inTick(n), e, parent)
		last = append(last, parent)
	case 4:
		other, _ := p.extra(inTick(n), mark)
		last = append(last, other)
	}
	if p.interest {
		client := 1 + d.IntN(p.clients)
		for _, of := range last {
			p.say("%sgain %s %d", inTick(n), of, client)
		}
		if d.IntN(2) == 0 {
			p.say("%slose %s %d", inTick(ends-d.IntN(3)), e, client)
		}
	}
	p.say("%sremove %s Replicate", inTick(ends), e)
	if d.IntN(4) == 0 {
		ends++
	}
	for _, of := range last {
		p.say("%sdespawn %s", inTick(ends), of)
		ends += 5 + d.IntN(20)
	}
}

// branches counts the rare events in a world, as seen by its server.
type branches struct {
	count map[string]int
	world *ecs.World
	every entangle.Tick
	stats func() plugin.ServerStats

	replicate ecs.ID
	relevance plugin.Relevance
	latest    ecs.Entity // the last one spawned
	names     map[string]ecs.Entity
	began     map[ecs.Entity]entity // all replicated entities at the start of the tick
	orphaned  map[ecs.Entity]bool   // entities that were removed without Replicate
	left      string                // the command by which an entity may have become invisible in the last tick
	overrides []overriding
	tick      entangle.Tick
	sim       *netsim.Sim
	rewinds   *rewindJudge
}

// entity is the state of a replicated entity at the start of a tick.
type entity struct {
	components.Replicate
	parent, child bool
}

// overriding records that a component of an entity was overridden while clients saw it.
type overriding struct {
	entity ecs.Entity
	tick   entangle.Tick
	sees   []entangle.ClientID
	lacks  string
}

func newBranches(server *plugin.Server, every int) *branches {
	w := server.World()
	b := &branches{
		count: map[string]int{}, world: w, every: entangle.Tick(max(every, 1)), stats: server.Stats, names: map[string]ecs.Entity{}, orphaned: map[ecs.Entity]bool{},
		replicate: ecs.ComponentID[components.Replicate](w), relevance: plugin.NewRelevance(w),
	}
	ecs.GetResource[listener.Dispatch](w).AddListener(b)
	return b
}

// Subscriptions implements ecs.Listener.
func (*branches) Subscriptions() event.Subscription {
	return event.EntityCreated | event.EntityRemoved
}

// Components implements ecs.Listener: all of them.
func (*branches) Components() *ecs.Mask { return nil }

// Notify implements ecs.Listener.
func (b *branches) Notify(w *ecs.World, evt ecs.EntityEvent) {
	if evt.Contains(event.EntityCreated) {
		b.latest = evt.Entity
		return
	}
	if w.Has(evt.Entity, b.replicate) {
		return
	}
	b.orphaned[evt.Entity] = true
	was, replicated := b.began[evt.Entity]
	if !replicated {
		return
	}
	kind := "lone"
	switch {
	case was.parent:
		kind = "parent"
	case was.child:
		kind = "child"
	case was.Group != 0:
		kind = "member"
	}
	if was.Relevance == components.Retained {
		kind += ", retained"
	}
	b.count["paused and removed: "+kind]++
}

// beginTick reads the world at the start of a tick: the entities that were overridden in the ticks of
// the last send and have become invisible since.
func (b *branches) beginTick(clients []entangle.ClientID) {
	b.tick++
	last := b.began
	b.began = map[ecs.Entity]entity{}
	all := ecs.All(b.replicate)
	for q := b.world.Query(&all); q.Next(); {
		e := q.Entity()
		b.began[e] = entity{Replicate: *(*components.Replicate)(q.Get(b.replicate))}
	}
	childOf := ecs.ComponentID[components.ChildOf](b.world)
	hasParent := ecs.All(childOf)
	children := b.world.Query(&hasParent)
	for children.Next() {
		parent := children.Relation(childOf)
		if is, ok := b.began[parent]; ok {
			is.parent = true
			b.began[parent] = is
		}
		if is, ok := b.began[children.Entity()]; ok {
			is.child = true
			b.began[children.Entity()] = is
		}
	}
	b.overrides = slices.DeleteFunc(b.overrides, func(o overriding) bool {
		if !b.world.Alive(o.entity) || b.tick-o.tick > b.every {
			return true
		}
		is, ok := b.began[o.entity]
		switch way := cmp.Or(b.left, "other things"); {
		case !ok:
			b.count["overridden as it is paused: "+o.lacks]++
			return true
		case slices.ContainsFunc(o.sees, func(c entangle.ClientID) bool { return slices.Contains(clients, c) && !b.relevance.Sees(o.entity, c) }):
			if before, ok := last[o.entity]; ok && before.Target != is.Target {
				way = "target"
			}
			b.count["overridden as it becomes hidden by "+way+": "+o.lacks]++
			return true
		}
		return false
	})
	b.left = ""
}

// do records a command that ran in a tick, with the clients connected at that time and their
// visible entities at its start.
func (b *branches) do(command string, clients []entangle.ClientID) {
	words := strings.Fields(command)
	switch {
	case words[0] == "spawn":
		b.names[words[1]] = b.latest
	case words[0] == "lose" && b.left == "":
		b.left = "interest"
	case words[0] == "room" && words[2] == "remove":
		b.left = "room"
	case words[0] == "override" && words[len(words)-1] != "clear":
		e := b.names[words[1]]
		if is, ok := b.began[e]; !ok || is.Relevance != components.Retained {
			return
		}
		o := overriding{entity: e, tick: b.tick, lacks: "it lacks it"}
		for _, t := range randomTypes {
			if t.Name() == words[2] && b.world.Alive(e) && b.world.Has(e, ecs.TypeID(b.world, t)) {
				o.lacks = "it has it"
			}
		}
		for _, c := range clients {
			if b.relevance.Sees(e, c) {
				o.sees = append(o.sees, c)
			}
		}
		if len(o.sees) > 0 {
			b.overrides = append(b.overrides, o)
		}
	}
}

// branchCounts adds up the branches of many worlds.
type branchCounts struct {
	sync.Mutex
	count map[string]int
	views rewindSums
}

// add adds the branches of a world that has ended. It keeps nothing of it.
func (a *branchCounts) add(b *branches) {
	a.Lock()
	defer a.Unlock()
	if a.count == nil {
		a.count = map[string]int{}
	}
	for _, some := range []map[string]int{b.count, b.sim.Detached(), b.sim.Shown()} {
		for branch, n := range some {
			a.count[branch] += n
		}
	}
	a.count[keptLess] += b.sim.Narrowed()
	a.count[leftPaused] += b.sim.LeftPaused()
	a.count[rewoundWaited] += int(b.stats().Rewinds.Waited)
	a.views.add(b.rewinds)
	sent := b.stats().Replication
	a.count[overdue] += int(sent.Overdue)
}

// keptLess counts clients that keep an entity that they no longer see, without a component that it
// had.
const keptLess = "kept, less a component"

// leftPaused counts clients that lose a group, except for a paused member.
const leftPaused = "a group with a paused member was hidden"

// overdue counts groups that waited for longer than their MaxAge.
const overdue = "a group waited for longer than its MaxAge"

// enoughWorlds is the number of random worlds in which every rare branch must occur.
const enoughWorlds = 120

// checkCounts checks that every rare branch occurred, if there were enough worlds.
func (a *branchCounts) checkCounts(t *testing.T, worlds uint64) {
	for _, branch := range slices.Sorted(maps.Keys(a.count)) {
		t.Logf("%s: %d", branch, a.count[branch])
	}
	t.Logf("views: %+v", a.views)
	if worlds < enoughWorlds || t.Failed() {
		return
	}
	a.views.requireExact(t)
	all := append([]string{keptLess, leftPaused, overdue}, detachedBranches...)
	all = append(all, netsim.ShownBranches...)
	all = append(all, rewoundBranches...)
	all = append(all, plantedBranches...)
	all = append(all, shotBranches...)
	for _, kind := range []string{"lone", "parent", "child", "member"} {
		all = append(all, "paused and removed: "+kind, "paused and removed: "+kind+", retained")
	}
	for _, component := range []string{"it has it", "it lacks it"} {
		all = append(all, "overridden as it is paused: "+component)
		for _, way := range []string{"room", "interest", "target"} {
			all = append(all, "overridden as it becomes hidden by "+way+": "+component)
		}
	}
	for _, branch := range all {
		assert.Positivef(t, a.count[branch], "in no world: %s", branch)
	}
}
