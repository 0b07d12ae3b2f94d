package netsim_test

import (
	"fmt"
	"slices"
	"strings"
)

// planned is an entity as it should be by the plan, if no command is left out.
type planned struct {
	name      string
	has       []string
	replicate bool
	group     int
	y         float32
	place     [2]float32 // in worlds with a grid only
	data      [70]uint64
	cells     [12]uint16
	at        [2]int
	count     uint32
}

// optional lists the components that an entity may have.
var optional = []string{"place", "life", "marked", "bulk", "link", "secret", "stamp", "chart", "path", "counter"}

// spawn creates an entity. One in four has no Replicate at first, and may get it later.
func (p *plan) spawn(at string) {
	p.names++
	e := &planned{name: fmt.Sprintf("e%d", p.names), replicate: p.rng.IntN(4) > 0}
	for _, component := range optional {
		if p.rng.IntN(2) == 0 || p.grid && component == "place" {
			e.has = append(e.has, component)
		}
	}
	p.entities = append(p.entities, e)
	words := append(p.values(e, e.has), p.equip()...)
	if e.replicate {
		words = append(words, p.replicate(e))
	}
	if len(words) == 0 {
		words = append(words, "secret")
		e.has = append(e.has, "secret")
	}
	p.say("%sspawn %s %s", at, e.name, strings.Join(words, " "))
	p.interpolateSpawn(at, e)
	if p.rng.IntN(3) == 0 {
		p.reveal(at, e)
	}
}

// replicate writes the component as a word of a script. One group in four belongs to the entity
// alone.
func (p *plan) replicate(e *planned) string {
	e.replicate = true
	if e.group = p.rng.IntN(4); p.grid && p.rng.IntN(3) > 0 {
		e.group = 0 // otherwise every entity would be in view together with some other
	}
	return fmt.Sprintf("Replicate=Group:%d%s", e.group, p.relevance())
}

func (p *plan) despawn(at string, i int) {
	p.say("%sdespawn %s", at, p.entities[i].name)
	p.entities = slices.Delete(p.entities, i, i+1)
}

// reshape adds a component to an entity, removes one, or makes the entity replicated.
func (p *plan) reshape(at string, e *planned) {
	if !e.replicate && p.rng.IntN(2) == 0 {
		p.say("%sinsert %s %s", at, e.name, p.replicate(e))
		return
	}
	p.toggle(at, e, optional[p.rng.IntN(len(optional))])
}

// toggle adds a component to an entity, or removes it.
func (p *plan) toggle(at string, e *planned, component string) {
	if i := slices.Index(e.has, component); i >= 0 {
		p.say("%sremove %s %s", at, e.name, component)
		e.has = slices.Delete(e.has, i, i+1)
		return
	}
	e.has = append(e.has, component)
	p.say("%sinsert %s %s", at, e.name, strings.Join(p.values(e, []string{component}), " "))
}

// pause removes Replicate, which reshape adds again. Some entities get it back at once.
func (p *plan) pause(at string, e *planned) {
	if !e.replicate {
		return
	}
	p.say("%sremove %s Replicate", at, e.name)
	e.replicate = false
	if p.rng.IntN(4) == 0 {
		p.say("%sinsert %s %s", at, e.name, p.replicate(e))
	}
}

// writeComponent changes some values of an entity.
func (p *plan) writeComponent(at string, e *planned) {
	if words := p.values(e, e.has); len(words) > 0 {
		p.say("%sset %s %s", at, e.name, strings.Join(words, " "))
	}
}

// values draws new values of components, some out of range and some equal to the previous ones.
func (p *plan) values(e *planned, has []string) (words []string) {
	for _, component := range has {
		value := ""
		switch component {
		case "place":
			e.y += 0.001
			value = fmt.Sprintf("=%v,%v", float32(p.rng.IntN(1100)-550)/8, e.y)
			if p.grid {
				value = p.step(e)
			}
		case "life":
			value = fmt.Sprintf("=%d", p.rng.IntN(8))
		case "bulk":
			value = "=" + p.bulk(e)
		case "link":
			value = fmt.Sprintf("=@%s,%d", p.target(), p.rng.IntN(3))
		case "stamp":
			value = fmt.Sprintf("=%d", p.rng.IntN(1000))
		case "chart":
			value = fmt.Sprintf("=@%s,%s", p.target(), p.chart(e))
		case "path":
			e.at[0], e.at[1] = (e.at[0]+3)%4000, (e.at[1]+1)%4000
			value = fmt.Sprintf("=%v,%v,%v", float32(e.at[0]-2000)/8, float32(e.at[1]-2000)/8, p.rng.IntN(7))
		case "counter":
			e.count += uint32(p.rng.IntN(5))
			value = fmt.Sprintf("=%d", e.count)
		case "secret":
			value = fmt.Sprintf("=%d", p.rng.Uint32())
		}
		words = append(words, component+value)
	}
	return words
}

// chart changes one of the component's numbers, or none.
func (p *plan) chart(e *planned) string {
	if p.rng.IntN(3) > 0 {
		e.cells[p.rng.IntN(len(e.cells))]++
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(e.cells), " ", ","), "[]")
}

// bulk changes one of the component's 70 numbers, one time in four. All numbers must fit into a
// line of a script, so most of them stay zero.
func (p *plan) bulk(e *planned) string {
	if p.rng.IntN(4) == 0 {
		e.data[p.rng.IntN(len(e.data))] = p.rng.Uint64()
	}
	if p.rng.IntN(16) == 0 {
		e.data = [70]uint64{}
	}
	var words []string
	for from := 0; from < len(e.data); {
		to := from + 1
		for to < len(e.data) && e.data[to] == e.data[from] {
			to++
		}
		word := fmt.Sprint(e.data[from])
		if to > from+1 {
			word = fmt.Sprintf("%s*%d", word, to-from)
		}
		words, from = append(words, word), to
	}
	return strings.Join(words, ",")
}

// target returns some entity's name, or none.
func (p *plan) target() string {
	if p.rng.IntN(4) == 0 || len(p.entities) == 0 {
		return ""
	}
	return p.any().name
}

// regroup moves entities between groups: one of them, several into one group, two that swap, one
// that moves back at once, or one that is a group of its own for at most a tick.
func (p *plan) regroup(at string) {
	a, b, to := p.any(), p.any(), p.rng.IntN(4)
	switch p.rng.IntN(6) {
	case 0:
		for range 2 + p.rng.IntN(4) {
			p.move(at, p.any(), to)
		}
	case 1:
		from, other := a.group, b.group
		p.move(at, a, other)
		p.move(at, b, from)
	case 2:
		back := a.group
		p.move(at, a, to)
		p.move(at, a, back)
	case 3:
		back := a.group
		p.move(at, a, 0)
		p.move(later(at), a, back)
	default:
		p.move(at, a, to)
	}
}

// later returns the prefix of a command for one tick later, or for now if the plan acts between
// frames.
func later(at string) string {
	n := 0
	if _, err := fmt.Sscanf(at, "tick %d", &n); err != nil {
		return at
	}
	return fmt.Sprintf("tick %d ", n+1)
}

func (p *plan) move(at string, e *planned, to int) {
	e.group = to
	p.say("%sgroup %s %d", at, e.name, to)
}
