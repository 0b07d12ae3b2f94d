package netsim

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
)

// resourcePast is the history of a server's resource.
type resourcePast struct {
	versions []resourceVersion
	shown    map[entangle.ClientID]*shownResource
}

// resourceVersion is the state of a resource from a tick on, with the clients that should have it.
type resourceVersion struct {
	inspect.MirroredResource
	gets map[entangle.ClientID]bool
}

// shownResource is a client's value of a resource, and the earliest version that matches it.
type shownResource struct {
	value   inspect.MirroredResource
	version int
}

// recordResources stores the server's resources after a tick.
func (p *past) recordResources(m *inspect.Mirror, clients []entangle.ClientID) {
	for len(p.resources) < len(m.Resources) {
		p.resources = append(p.resources, resourcePast{shown: map[entangle.ClientID]*shownResource{}})
	}
	for i, r := range m.Resources {
		now := resourceVersion{r, map[entangle.ClientID]bool{}}
		for _, client := range clients {
			now.gets[client] = p.sight.getsResource(&r, client)
		}
		list := &p.resources[i].versions
		if n := len(*list); n == 0 || !(*list)[n-1].equal(&now) {
			*list = append(*list, now)
		}
	}
}

// equal reports whether two versions of a resource are equal.
func (v *resourceVersion) equal(o *resourceVersion) bool {
	return v.On == o.On && v.Target == o.Target && maps.Equal(v.gets, o.gets) && equalResource(&v.MirroredResource, &o.MirroredResource)
}

func equalResource(a, b *inspect.MirroredResource) bool {
	return a.There == b.There && bytes.Equal(a.Wire, b.Wire) && slices.Equal(a.Refs, b.Refs)
}

// getsResource reports whether a client should have a server's resource.
func (s *sight) getsResource(r *inspect.MirroredResource, client entangle.ClientID) bool {
	return r.On && r.There && r.Wire != nil && s.includes(&terms{}, r.Target, client)
}

// resources checks that every resource of the client has a value that was sent to it, and none
// older than its previous value.
func (l *look) resources() error {
	for i := range min(len(l.past.resources), len(l.mirror.Resources)) {
		if err := l.resource(&l.past.resources[i], &l.mirror.Resources[i], l.mirror.ResourceInfos[i]); err != nil {
			return err
		}
	}
	return nil
}

func (l *look) resource(p *resourcePast, r *inspect.MirroredResource, info *registry.Resource) error {
	shown := p.shown[l.client]
	if shown == nil {
		shown = &shownResource{}
		p.shown[l.client] = shown
	}
	if !r.There || equalResource(&shown.value, r) {
		return nil
	}
	t := translation{local: l.local, late: true}
	for n := shown.version; n < len(p.versions); n++ {
		if v := &p.versions[n]; v.gets[l.client] && t.resource(info, &v.MirroredResource, r) == nil {
			*shown = shownResource{*r, n}
			return nil
		}
	}
	return fmt.Errorf("its resource %v is %s, which the server's was not since what it showed before, or which it may not see",
		info.Type, script.FormatValue(t.decodeResource(info, r, nil)))
}
