package netsim

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/entangle-ecs/entangle/systems"
)

// ExpectEqual fails the test unless Equal returns nil.
func (s *Sim) ExpectEqual() {
	s.t.Helper()
	if err := s.Equal(); err != nil {
		s.t.Fatalf("netsim: after %v: %v", s.clock.Since(), err)
	}
}

// Equal returns nil if every client is connected and shows what the server
// replicates to it, no more and no less, with components that are equal on the wire; or
// an error that names the first difference. Entities whose replication is paused may
// be there or not, whatever they look like. With Watch, a reference may be empty that
// leads to an entity which the client saw, lost, and sees again.
//
// It takes some time until a change arrives: call Run before.
func (s *Sim) Equal() error {
	s.t.Helper()
	for _, p := range s.peers {
		if err := p.Equal(); err != nil {
			return err
		}
	}
	return nil
}

// Equal is Sim.Equal for one client.
func (p *Peer) Equal() error {
	p.sim.t.Helper()
	if !p.Connected() {
		return fmt.Errorf("client %d is %v (%s)", p.id, p.client.State(), p.client.Reason())
	}
	if err := p.compare(p.sim.mirror()); err != nil {
		return fmt.Errorf("client %d: %w", p.id, err)
	}
	return nil
}

// mirror returns what the server replicates.
func (s *Sim) mirror() *systems.Mirror {
	s.t.Helper()
	m, err := s.plugin.Mirror()
	if err != nil {
		s.t.Fatalf("netsim: the server's world: %v", err)
	}
	return m
}

// pair is an entity of the server and its copy; either may be missing.
type pair struct {
	server *systems.Mirrored
	client *systems.Mirrored
}

// pairs joins the server's entities with their copies, if it has any at all.
func (p *Peer) pairs(server *systems.Mirror) (list []pair) {
	client := p.client.Mirror()
	byID, byEntity := map[uint64]*systems.Mirrored{}, map[ecs.Entity]uint64{}
	for i := range client.Entities {
		byID[client.Entities[i].ID] = &client.Entities[i]
	}
	for _, name := range p.sim.plugin.Names(p.id) {
		byEntity[name.Entity] = name.ID
	}
	for i := range server.Entities {
		id := byEntity[server.Entities[i].Entity]
		list = append(list, pair{&server.Entities[i], byID[id]})
		delete(byID, id)
	}
	for i := range client.Entities {
		if byID[client.Entities[i].ID] != nil {
			list = append(list, pair{client: &client.Entities[i]})
		}
	}
	return list
}

// compare returns the first difference of a client from what it should see.
func (p *Peer) compare(server *systems.Mirror) error {
	list := p.pairs(server)
	t := translation{local: map[ecs.Entity]ecs.Entity{}}
	if w := p.sim.watch; w != nil {
		t.lost = func(e ecs.Entity) bool { return w.returned(e, p.id) }
	}
	for i := range list {
		if pair := &list[i]; pair.server != nil && pair.client != nil {
			t.local[pair.server.Entity] = pair.client.Entity
		}
	}
	s := newSight(p.sim.World())
	for i := range list {
		if err := t.pair(server.Components, &list[i], s, p.id); err != nil {
			return err
		}
	}
	return nil
}

// translation knows a client's copy of each of the server's entities.
type translation struct {
	local map[ecs.Entity]ecs.Entity
	// late lets references be empty that the server's are not: the client may have
	// got them before the entities.
	late bool
	// lost, if not nil, says whether references to an entity may be empty: that of one
	// that the client saw, lost, and sees again.
	lost func(ecs.Entity) bool
}

func (t *translation) pair(comps []*protocol.ComponentInfo, p *pair, s *sight, client entangle.ClientID) error {
	if p.server == nil {
		return fmt.Errorf("its %v is no entity of the server", p.client.Entity)
	}
	if p.server.Paused {
		return nil
	}
	may := s.visible(p.server.Entity, client)
	switch {
	case p.client == nil && may.sees:
		return fmt.Errorf("it has no copy of the server's %v", p.server.Entity)
	case p.client == nil:
		return nil
	case !may.sees:
		return fmt.Errorf("its %v is a copy of the server's %v, which it may not see", p.client.Entity, p.server.Entity)
	}
	if err := t.values(comps, may.of(p.server.Values), p.client.Values); err != nil {
		return fmt.Errorf("its %v, a copy of the server's %v: %w", p.client.Entity, p.server.Entity, err)
	}
	return nil
}

// values compares the components of an entity. Both lists rise.
func (t *translation) values(comps []*protocol.ComponentInfo, server, client []systems.MirroredValue) error {
	for len(server)+len(client) > 0 {
		switch {
		case len(client) == 0 || len(server) > 0 && server[0].Component < client[0].Component:
			return fmt.Errorf("it lacks %v", comps[server[0].Component].Type)
		case len(server) == 0 || client[0].Component < server[0].Component:
			return fmt.Errorf("it has %v, which the server's has not", comps[client[0].Component].Type)
		}
		if err := t.value(comps[server[0].Component], &server[0], &client[0]); err != nil {
			return err
		}
		server, client = server[1:], client[1:]
	}
	return nil
}

func (t *translation) value(info *protocol.ComponentInfo, server, client *systems.MirroredValue) error {
	if !info.Plan.HasRefs() && bytes.Equal(server.Wire, client.Wire) {
		return nil
	}
	want, wanted := t.decode(info, server, t.local)
	got, gotten := t.decode(info, client, nil)
	if info.Plan.Equal(want, got) || t.mayLack(server.Refs) && t.equalButLate(info, server, client) {
		return nil
	}
	is, should := shorten(formatValue(gotten), formatValue(wanted))
	return fmt.Errorf("%v is %s, the server's is %s", info.Type, is, should)
}

// maxWords is how many numbers of a value a difference shows.
const maxWords = 8

// shorten leaves of two long lists what stands around their first difference.
func shorten(a, b string) (string, string) {
	x, y := strings.Split(a, ","), strings.Split(b, ",")
	if len(x) != len(y) || len(x) <= maxWords {
		return a, b
	}
	at := 0
	for at < len(x)-1 && x[at] == y[at] {
		at++
	}
	from := max(0, at-1)
	to := min(len(x), from+maxWords)
	cut := func(words []string) string {
		return fmt.Sprintf("...%s... (from number %d)", strings.Join(words[from:to], ","), from+1)
	}
	return cut(x), cut(y)
}

// mayLack reports whether references to these entities may be empty.
func (t *translation) mayLack(refs []ecs.Entity) bool {
	return t.late || t.lost != nil && slices.ContainsFunc(refs, t.lost)
}

// equalButLate reports whether two values differ only in references that the
// client's lacks.
func (t *translation) equalButLate(info *protocol.ComponentInfo, server, client *systems.MirroredValue) bool {
	theirs := map[ecs.Entity]bool{}
	for _, e := range server.Refs {
		theirs[t.local[e]] = true
	}
	for _, e := range client.Refs {
		if !theirs[e] {
			return false
		}
	}
	none := map[ecs.Entity]ecs.Entity{}
	want, _ := t.decode(info, server, none)
	got, _ := t.decode(info, client, none)
	return info.Plan.Equal(want, got)
}

// decode reads a value into memory of its own, with entities translated by a map
// unless that is nil.
func (t *translation) decode(info *protocol.ComponentInfo, v *systems.MirroredValue, local map[ecs.Entity]ecs.Entity) ([]byte, reflect.Value) {
	value := reflect.New(info.Type)
	memory := make([]byte, info.Plan.Size())
	var r bits.Reader
	r.Reset(v.Wire)
	if err := info.Plan.Decode(&r, memory, refReader{v.Refs, local}); err != nil {
		panic(fmt.Sprintf("netsim: a %v that was just encoded can't be decoded: %v", info.Type, err))
	}
	reflect.Copy(reflect.NewAt(reflect.ArrayOf(len(memory), reflect.TypeFor[byte]()), value.UnsafePointer()).Elem(), reflect.ValueOf(memory))
	return memory, value.Elem()
}

// refReader finds the entities of a mirrored value.
type refReader struct {
	refs  []ecs.Entity
	local map[ecs.Entity]ecs.Entity
}

// At implements protocol.RefReader.
func (r refReader) At(place uint32) (ecs.Entity, bool) {
	if place == 0 || int64(place) > int64(len(r.refs)) {
		return ecs.Entity{}, place == 0
	}
	e := r.refs[place-1]
	if r.local != nil {
		e = r.local[e]
	}
	return e, true
}
