package oracle

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/entangle-ecs/entangle/plugin"
)

// Client is a client to compare with its server.
type Client struct {
	ID  entangle.ClientID
	App *plugin.Client
}

func (c Client) world() *ecs.World { return c.App.World() }

// Snapshot is the replicated state of a server at the end of a frame. It is valid until the next
// frame of the server: the visibility of entities is read from its world.
type Snapshot struct {
	mirror    *inspect.Mirror
	server    *plugin.Server
	relevance Relevance
	history   *history // nil without a Watch
}

// Take takes a snapshot of a server. A nil relevance stands for that of the server. With a watch,
// which may be nil, the visibility takes into account what clients could see before.
func Take(server *plugin.Server, relevance Relevance, watch *Watch) (*Snapshot, error) {
	m, err := apps.Of(server.World()).ServerMirror()
	if err != nil {
		return nil, err
	}
	s := &Snapshot{mirror: m, server: server, relevance: relevance}
	if relevance == nil {
		s.relevance = serverRelevance{server.World()}
	}
	if watch != nil {
		s.history = &watch.history
	}
	return s, nil
}

// Relevance decides which entities are relevant to a client, where the Relevance of their Replicate
// leaves it to interest, and which clients are in a room.
type Relevance interface {
	Matters(client entangle.ClientID, e ecs.Entity, owned bool) bool
	InRoom(room components.Room, client entangle.ClientID) bool
}

// serverRelevance answers with the relevance of the server of a world.
type serverRelevance struct{ world *ecs.World }

// Matters implements Relevance.
func (r serverRelevance) Matters(client entangle.ClientID, e ecs.Entity, owned bool) bool {
	return apps.Of(r.world).Collector.Matters(client, e, owned)
}

// InRoom implements Relevance.
func (r serverRelevance) InRoom(room components.Room, client entangle.ClientID) bool {
	rooms := plugin.NewRooms(r.world)
	return rooms.HasClient(room, client)
}

// visibility returns the rules of visibility in the server's world.
func (s *Snapshot) visibility() *visibility {
	return newVisibility(s.server.World(), s.mirror.Components, s.relevance)
}

// clients returns the ids of the connected clients.
func (s *Snapshot) clients() (ids []entangle.ClientID) {
	for _, c := range s.server.Clients() {
		ids = append(ids, c.ID)
	}
	return ids
}

// pair is an entity of the server and its replica. Either may be missing.
type pair struct {
	server *inspect.Mirrored
	client *inspect.Mirrored
}

// pairs matches the server's entities with their replicas, if there are any.
func (s *Snapshot) pairs(c Client) (list []pair) {
	client := apps.Of(c.world()).ClientMirror()
	byID, byEntity := map[uint64]*inspect.Mirrored{}, map[ecs.Entity]uint64{}
	for i := range client.Entities {
		byID[client.Entities[i].ID] = &client.Entities[i]
	}
	for _, name := range apps.Of(s.server.World()).Server.Names(c.ID) {
		byEntity[name.Entity] = name.ID
	}
	for i := range s.mirror.Entities {
		id := byEntity[s.mirror.Entities[i].Entity]
		list = append(list, pair{&s.mirror.Entities[i], byID[id]})
		delete(byID, id)
	}
	for i := range client.Entities {
		if byID[client.Entities[i].ID] != nil {
			list = append(list, pair{client: &client.Entities[i]})
		}
	}
	return list
}

// Replica returns a client's replica of an entity of the server. ok is false while it has none.
func (s *Snapshot) Replica(c Client, original ecs.Entity) (e ecs.Entity, ok bool) {
	for _, p := range s.pairs(c) {
		if p.server != nil && p.server.Entity == original && p.client != nil && c.world().Alive(p.client.Entity) {
			return p.client.Entity, true
		}
	}
	return ecs.Entity{}, false
}

// Original returns the server's entity of a replica. ok is false if there is none.
func (s *Snapshot) Original(c Client, replica ecs.Entity) (e ecs.Entity, ok bool) {
	for _, p := range s.pairs(c) {
		if p.client != nil && p.client.Entity == replica && p.server != nil {
			return p.server.Entity, true
		}
	}
	return ecs.Entity{}, false
}
