package receiver

import "github.com/entangle-ecs/entangle/internal/core/repl"

// late knows which groups refer to entities that have not arrived. When one does,
// those groups are asked for in full: what names it is then sent anew. Meanwhile
// the reference is to no entity.
type late struct {
	waiting map[repl.ID][]repl.Handle
	count   int
}

// maxLate bounds the references that are waited for. Beyond it they stay empty
// until their component is sent again; they are counted as Dangling all the same.
const maxLate = 1 << 12

// wait notes that a group refers to an entity.
func (l *late) wait(target repl.ID, by repl.Handle) {
	groups := l.waiting[target]
	if l.count == maxLate || len(groups) > 0 && groups[len(groups)-1] == by {
		return
	}
	if l.waiting == nil {
		l.waiting = map[repl.ID][]repl.Handle{}
	}
	l.waiting[target] = append(groups, by)
	l.count++
}

// take returns the groups that wait for an entity, and forgets them.
func (l *late) take(target repl.ID) []repl.Handle {
	groups := l.waiting[target]
	delete(l.waiting, target)
	l.count -= len(groups)
	return groups
}

// arrived asks for the groups that refer to a member of g, which is here now.
func (r *Receiver) arrived(g *group) {
	if r.late.count == 0 {
		return
	}
	for _, m := range g.members {
		for _, h := range r.late.take(repl.ID{Group: g.handle, Member: m.number}) {
			if by := r.groups.get(h); by != nil && by.known {
				r.ask(by)
			}
		}
	}
}
