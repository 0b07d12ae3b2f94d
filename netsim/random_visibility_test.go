package netsim_test

import (
	"fmt"
	"strconv"
	"strings"
)

// reveal changes the target or the owner of an entity.
func (p *plan) reveal(at string, e *planned) {
	switch p.rng.IntN(7) {
	case 0:
		p.say("%sowner %s %d%s", at, e.name, p.rng.IntN(maxGuests+1), []string{"", " keep"}[p.rng.IntN(2)])
	case 1: // hidden for zero ticks, or for one
		p.say("%starget %s nobody", at, e.name)
		p.say("%starget %s %s", []string{at, later(at)}[p.rng.IntN(2)], e.name, p.audience())
	case 2:
		p.say("%soverride %s %s %s", at, e.name, overridden[p.rng.IntN(len(overridden))], p.audience())
	case 3:
		p.say("%soverride %s %s clear", at, e.name, overridden[p.rng.IntN(len(overridden))])
	default:
		p.say("%starget %s %s", at, e.name, p.audience())
	}
}

// overridden are the components for which scripts override the target on some entities.
var overridden = []string{"life", "link", "path", "stamp", "chart", "bulk"}

// audience returns a random target as words of a script.
func (p *plan) audience() string {
	if p.interest && p.rng.IntN(4) == 0 {
		return fmt.Sprintf("room %d", p.room())
	}
	constants := []string{"default", "everyone", "everyone", "nobody", "owner", "notowner"}
	if i := p.rng.IntN(len(constants) + 3); i < len(constants) {
		return constants[i]
	}
	clients := []string{strconv.Itoa(1 + p.rng.IntN(maxGuests))}
	for client := 1; client <= maxGuests; client++ {
		if p.rng.IntN(4) == 0 {
			clients = append(clients, strconv.Itoa(client))
		}
	}
	return []string{"only ", "except "}[p.rng.IntN(2)] + strings.Join(clients, ",")
}

// relate adds, removes or changes a parent or a relation of an entity. Few entities have relations,
// so that they have others later.
func (p *plan) relate(at string) {
	e := p.entities[p.rng.IntN(min(len(p.entities), 6))]
	switch p.rng.IntN(8) {
	case 0, 1:
		p.say("%sdetach %s", at, e.name)
	case 2:
		p.say("%s%s %s NoReplicateChildren", at, []string{"insert", "remove"}[p.rng.IntN(2)], e.name)
	case 3, 4:
		p.say("%sattach %s %s tied", at, e.name, p.any().name)
	default:
		p.say("%sattach %s %s", at, e.name, p.any().name)
	}
}

// resource changes a resource, or its target.
func (p *plan) resource(at string) {
	name := []string{"score", "board"}[p.rng.IntN(2)]
	switch p.rng.IntN(10) {
	case 0:
		p.say("%stake %s", at, name)
	case 1:
		p.say("%sreplicate %s stop", at, name)
	case 2, 3:
		p.say("%sreplicate %s %s", at, name, p.audience())
	default:
		p.say("%sput %s=%s", at, name, p.resourceValue(name))
	}
}

// resourceValue returns a value of a resource as words of a script.
func (p *plan) resourceValue(resource string) string {
	if resource == "score" {
		return strconv.Itoa(p.rng.IntN(4))
	}
	order := ""
	for range p.rng.IntN(4) {
		order += ",@" + p.target()
	}
	return strings.Repeat("x", p.rng.IntN(50)) + ",@" + p.target() + order
}

// rate changes how often an entity is sent.
func (p *plan) rate(at string, e *planned) {
	switch p.rng.IntN(3) {
	case 0:
		p.say("%srate %s every %d", at, e.name, p.rng.IntN(slowest+1))
	case 1:
		p.say("%srate %s priority %d", at, e.name, p.rng.IntN(20))
	default:
		p.say("%srate %s maxage %d", at, e.name, p.rng.IntN(30))
	}
}
