package netsim_test

import (
	"strconv"
	"strings"
)

// reveal changes who may see an entity, or whose it is.
func (p *plan) reveal(at string, e *planned) {
	switch p.rng.IntN(5) {
	case 0:
		p.say("%sowner %s %d%s", at, e.name, p.rng.IntN(maxGuests+1), []string{"", " keep"}[p.rng.IntN(2)])
	case 1: // for no time, or a tick
		p.say("%starget %s nobody", at, e.name)
		p.say("%starget %s %s", []string{at, later(at)}[p.rng.IntN(2)], e.name, p.audience())
	default:
		p.say("%starget %s %s", at, e.name, p.audience())
	}
}

// audience words a target.
func (p *plan) audience() string {
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
