package netsim_test

import "fmt"

// detachedBranches are what happens to children that lose a parent which limits them, and to
// children of a parent with NoReplicateChildren, as a Watch counts it.
var detachedBranches = []string{
	"detached by the removal of its relation", "detached by the zero entity", "detached by a parent that is not replicated", "detached while paused",
	"detached, then a child again", "detached, then changed by the game", "detached and changed by the game at once",
	"hidden by the target of a former ancestor", "shown or hidden by the room of a former ancestor", "hidden with a detached parent", "relevance of a former ancestor",
	"seen without the parent that excludes it",
}

// dropChild spawns a child without a Replicate below a parent that some clients see, and has it lose
// that parent in one of four ways, in about the tick of other changes of the two. Later the child
// may get a parent or a target. One child in four stays.
func (p *plan) dropChild(n int) {
	d := p.drops
	if d.IntN(3*endings) > 0 {
		return
	}
	name := func(i int) string { return fmt.Sprintf("e%d", p.names+i) }
	root, parent, child, below, other, lone := name(1), name(2), name(3), name(4), name(5), name(6)
	p.names += 6
	relevance, room := 0, 1+d.IntN(rooms)
	if p.interest {
		relevance = []int{0, 0, 1, 2}[d.IntN(4)]
	}
	p.say("%sspawn %s life=1 Replicate=Relevance:%d", inTick(n), root, relevance)
	p.say("%sspawn %s place=1,1 Replicate", inTick(n), parent)
	p.say("%sspawn %s life=2", inTick(n), child)
	p.say("%sspawn %s path=1,2,3", inTick(n), below)
	p.say("%sspawn %s life=3 Replicate", inTick(n), other)
	p.say("%sspawn %s life=4", inTick(n), lone)
	for _, pair := range [][2]string{{parent, root}, {child, parent}, {below, child}} {
		p.say("%sattach %s %s", inTick(n), pair[0], pair[1])
	}
	for _, of := range []string{root, parent}[d.IntN(2):] {
		p.say("%sowner %s %d keep", inTick(n), of, 1+d.IntN(p.clients))
		p.say("%starget %s %s", inTick(n), of, p.narrowTarget(room))
	}
	if relevance > 0 {
		p.say("%sgain %s %d", inTick(n), root, 1+d.IntN(p.clients))
	}
	n += 3 + d.IntN(8)
	p.detachChild(n, root, parent, child, other, lone)
	n += 1 + d.IntN(10)
	for range d.IntN(6) {
		p.say("%sroom %d %s client %d", inTick(n), room, []string{"add", "remove"}[d.IntN(2)], 1+d.IntN(p.clients))
		n += 1 + d.IntN(4)
	}
	switch d.IntN(6) {
	case 0:
		p.say("%starget %s everyone", inTick(n), child)
	case 1:
		p.say("%sattach %s %s", inTick(n), child, other)
	case 2:
		p.say("%sdetach %s", inTick(n), below)
	case 3:
		p.say("%sremove %s Replicate", inTick(n), child)
		n += d.IntN(2)
		p.say("%sinsert %s Replicate", inTick(n), child)
	case 4:
		p.say("%sroom %d add entity %s", inTick(n), room, child)
	}
	n += 5 + d.IntN(20)
	if d.IntN(4) > 0 {
		p.say("%sdespawn %s", inTick(n), child)
	}
	for _, of := range []string{root, other, lone} {
		p.say("%sdespawn %s", inTick(n), of)
	}
}

// narrowTarget returns a target that excludes some clients, as words of a script.
func (p *plan) narrowTarget(room int) string {
	d, client := p.drops, 1+p.drops.IntN(p.clients)
	in := fmt.Sprintf("room %d", room)
	return []string{"owner", "notowner", "nobody", in, in, in, fmt.Sprintf("only %d", client), fmt.Sprintf("except %d", client)}[d.IntN(8)]
}

// detachChild has a child lose its parent, in about the tick in which other things happen to the two.
func (p *plan) detachChild(n int, root, parent, child, other, lone string) {
	d := p.drops
	way := []string{"detach " + child, "detach " + child + " keep", fmt.Sprintf("attach %s %s", child, lone), "detach " + child}
	kind := d.IntN(len(way))
	if kind == 3 {
		p.say("%sremove %s Replicate", inTick(n), parent)
		n += d.IntN(6)
	}
	steps := []string{way[kind]}
	switch d.IntN(9) {
	case 0:
		steps = append(steps, fmt.Sprintf("target %s everyone", parent), fmt.Sprintf("target %s everyone", root))
	case 1:
		steps = append(steps, "despawn "+parent)
	case 2:
		steps = append(steps, fmt.Sprintf("remove %s Replicate", parent))
	case 3:
		steps = append(steps, "detach "+parent)
	case 4:
		steps = append(steps, fmt.Sprintf("target %s everyone", child))
	case 5:
		steps = append(steps, fmt.Sprintf("attach %s %s", child, other), "detach "+child)
	case 6:
		steps = append(steps, fmt.Sprintf("attach %s %s", child, parent), way[kind])
	case 7:
		steps = append(steps, fmt.Sprintf("remove %s Replicate", child), fmt.Sprintf("insert %s Replicate", child))
	}
	if len(steps) == 2 && d.IntN(2) == 0 {
		steps[0], steps[1] = steps[1], steps[0]
	}
	for _, step := range steps {
		p.say("%s%s", inTick(n), step)
		if d.IntN(8) == 0 {
			n++
		}
	}
}
