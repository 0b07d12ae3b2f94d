package receiver

import "github.com/entangle-ecs/entangle/internal/core/repl"

// pageSize is how many handles share a page. A sender numbers its groups densely,
// so few pages hold them all; handles scattered to do harm cost a page each, and
// all pages together 8 MiB.
const pageSize = 256

// table finds groups by handle: handles are dense, and an index is much cheaper
// than a hash for something that every record does.
type table struct {
	pages []*page
	n     int
}

type page [pageSize]*group

// get returns a group, or nil.
func (t *table) get(h repl.Handle) *group {
	at := int(h / pageSize)
	if at >= len(t.pages) || t.pages[at] == nil {
		return nil
	}
	return t.pages[at][h%pageSize]
}

// put adds a group whose handle is not there, below repl.MaxGroups.
func (t *table) put(g *group) {
	at := int(g.handle / pageSize)
	for len(t.pages) <= at {
		t.pages = append(t.pages, nil)
	}
	if t.pages[at] == nil {
		t.pages[at] = new(page)
	}
	t.pages[at][g.handle%pageSize] = g
	t.n++
}

// drop takes a group out that is there.
func (t *table) drop(g *group) {
	t.pages[g.handle/pageSize][g.handle%pageSize] = nil
	t.n--
}

// each calls f for every group, by rising handle. f may drop the group.
func (t *table) each(f func(*group)) {
	for _, p := range t.pages {
		if p == nil {
			continue
		}
		for _, g := range p {
			if g != nil {
				f(g)
			}
		}
	}
}
