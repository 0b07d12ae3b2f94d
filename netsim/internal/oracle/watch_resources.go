package oracle

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

// resourceHistory is the history of a server's resource.
type resourceHistory struct {
	versions []resourceVersion
	received map[entangle.ClientID]*receivedResource
}

// resourceVersion is the state of a resource from a tick on, with the clients that should have it.
type resourceVersion struct {
	inspect.MirroredResource
	targets map[entangle.ClientID]bool
}

// receivedResource is a client's value of a resource, and the earliest version that matches it.
type receivedResource struct {
	value   inspect.MirroredResource
	version int
}

// recordResources stores the server's resources after a tick.
func (h *history) recordResources(m *inspect.Mirror, clients []entangle.ClientID) {
	for len(h.resources) < len(m.Resources) {
		h.resources = append(h.resources, resourceHistory{received: map[entangle.ClientID]*receivedResource{}})
	}
	for i, r := range m.Resources {
		now := resourceVersion{r, map[entangle.ClientID]bool{}}
		for _, client := range clients {
			now.targets[client] = h.visibility.getsResource(&r, client)
		}
		list := &h.resources[i].versions
		if n := len(*list); n == 0 || !(*list)[n-1].equal(&now) {
			*list = append(*list, now)
		}
	}
}

// equal reports whether two versions of a resource are equal.
func (v *resourceVersion) equal(o *resourceVersion) bool {
	return v.On == o.On && v.Target == o.Target && maps.Equal(v.targets, o.targets) && equalResource(&v.MirroredResource, &o.MirroredResource)
}

func equalResource(a, b *inspect.MirroredResource) bool {
	return a.There == b.There && bytes.Equal(a.Wire, b.Wire) && slices.Equal(a.Refs, b.Refs)
}

// getsResource reports whether a client should have a server's resource.
func (v *visibility) getsResource(r *inspect.MirroredResource, client entangle.ClientID) bool {
	return r.On && r.There && r.Wire != nil && v.includes(&terms{}, r.Target, client)
}

// checkResources checks that every resource of the client has a value that was sent to it, and none
// older than its previous value.
func (c *clientCheck) checkResources() error {
	for i := range min(len(c.history.resources), len(c.mirror.Resources)) {
		if err := c.checkResource(&c.history.resources[i], &c.mirror.Resources[i], c.mirror.ResourceInfos[i]); err != nil {
			return err
		}
	}
	return nil
}

func (c *clientCheck) checkResource(of *resourceHistory, r *inspect.MirroredResource, info *registry.Resource) error {
	received := of.received[c.client]
	if received == nil {
		received = &receivedResource{}
		of.received[c.client] = received
	}
	if !r.There || equalResource(&received.value, r) {
		return nil
	}
	t := translation{replicas: c.replicas, allowsEmptyRefs: true}
	for n := received.version; n < len(of.versions); n++ {
		if v := &of.versions[n]; v.targets[c.client] && t.compareResource(info, &v.MirroredResource, r) == nil {
			*received = receivedResource{*r, n}
			return nil
		}
	}
	return fmt.Errorf("its resource %v is %s, which the server's was not since the value that it had before, or which the client may not see",
		info.Type, script.FormatValue(t.decodeResource(info, r, nil)))
}
