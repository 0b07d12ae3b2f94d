package scene

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
	"github.com/entangle-ecs/entangle/plugin"
)

// view is the state of a client that the trace last reported.
type view struct {
	clock  *netsim.Clock
	peer   *netsim.Peer
	number int
	state  plugin.State
	seen   []seen
	has    []string // values of resources by number, "" for a missing one
}

// seen is an entity of a client, with its components as text.
type seen struct {
	entity ecs.Entity
	comps  []string // by number, "" for a missing one
}

// traceChanges adds the changes to the trace.
func (v *view) traceChanges(trace *script.Trace) {
	addLine := func(format string, values ...any) {
		at := v.clock.Since().Round(time.Millisecond)
		trace.Printf("%v client %d %s", at, v.number, fmt.Sprintf(format, values...))
	}
	if state := v.peer.Client().State(); state != v.state {
		v.state = state
		addLine("is %v%s", state, because(v.peer.Client().Err()))
	}
	now := v.replicas()
	for _, e := range now {
		before, known := findSeen(v.seen, e.entity)
		if what := changes(before.comps, e.comps); what != "" || !known {
			addLine("sees %s%s", name(e.entity), what)
		}
	}
	for _, e := range v.seen {
		_, there := findSeen(now, e.entity)
		switch {
		case !there && v.peer.World().Alive(e.entity):
			addLine("keeps %s as its own", name(e.entity))
		case !there:
			addLine("loses %s", name(e.entity))
		}
	}
	v.seen = now
	v.traceResources(addLine)
}

// traceResources adds the changes of resources.
func (v *view) traceResources(addLine func(format string, values ...any)) {
	m := apps.Of(v.peer.World()).ClientMirror()
	now := make([]string, len(m.ResourceInfos))
	for i := range m.Resources {
		if t := m.ResourceInfos[i].Type; m.Resources[i].There {
			value := v.peer.World().Resources().Get(ecs.ResourceTypeID(v.peer.World(), t))
			now[i] = t.Name() + "=" + script.FormatValue(reflect.ValueOf(value).Elem())
		}
	}
	if what := changes(v.has, now); what != "" {
		addLine("has%s", what)
	}
	v.has = now
}

// replicas returns the client's replicas, with their components as text.
func (v *view) replicas() (all []seen) {
	m := apps.Of(v.peer.World()).ClientMirror()
	for i := range m.Entities {
		all = append(all, v.describeReplica(m.Components, &m.Entities[i]))
	}
	return all
}

// describeReplica returns a replica with its components as text.
func (v *view) describeReplica(infos []*registry.Component, e *inspect.Mirrored) seen {
	w, s := v.peer.World(), seen{entity: e.Entity, comps: make([]string, len(infos))}
	for _, value := range e.Values {
		t := infos[value.Component].Type
		s.comps[value.Component] = t.Name()
		id := ecs.TypeID(w, t)
		if t.Size() > 0 {
			s.comps[value.Component] += "=" + compact(script.FormatValue(reflect.NewAt(t, w.Get(e.Entity, id)).Elem()))
		}
		if infos[value.Component].Relation {
			s.comps[value.Component] += "@" + name(w.Relations().Get(e.Entity, id))
		}
	}
	return s
}

func findSeen(all []seen, e ecs.Entity) (seen, bool) {
	for _, s := range all {
		if s.entity == e {
			return s, true
		}
	}
	return seen{}, false
}

// changes describes the difference between two sets of components. Removed ones have a minus.
// before may be nil.
func changes(before, after []string) string {
	var b strings.Builder
	for i, now := range after {
		was := ""
		if before != nil {
			was = before[i]
		}
		switch {
		case now == was:
		case now == "":
			kind, _, _ := strings.Cut(was, "=")
			kind, _, _ = strings.Cut(kind, "@")
			b.WriteString(" -" + kind)
		default:
			b.WriteString(" " + now)
		}
	}
	return b.String()
}

func because(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}

// name formats an entity as one word.
func name(e ecs.Entity) string { return strings.ReplaceAll(fmt.Sprint(e), " ", ":") }

// manyWords is the number of equal values in a row from which they are written as one word, such as
// 0*70.
const manyWords = 5

// compact shortens repeated values of a list to the syntax of script.ParseValue.
func compact(list string) string {
	var words []string
	all := strings.Split(list, ",")
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n] == all[0] {
			n++
		}
		if n >= manyWords {
			words = append(words, fmt.Sprintf("%s*%d", all[0], n))
		} else {
			words = append(words, all[:n]...)
		}
		all = all[n:]
	}
	return strings.Join(words, ",")
}
