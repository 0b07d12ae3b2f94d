package scene

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/netsim/internal/script"
)

// expect implements "expect", which ends the script with an error unless a condition holds:
//
//	expect equal                         every client's world equals the server's
//	expect synced [CLIENTS]              the clients' clocks are synchronised
//	expect no NAME [on CLIENTS]          clients have no replica of the entity
//	expect NAME [COMPONENTS] [on CLIENTS]
//
// The last one expects that clients have a replica of the entity, with these components: Health for
// having one, Position=1,2 for its value, -Health for not having it. An entity in a value, @NAME,
// is the client's replica of that entity, or the zero entity if it has none.
func (c *commands) expect(args *script.Args, _ *script.Trace) {
	switch {
	case args.Take("equal"):
		args.Fail(c.scene.Equal())
	case args.Take("synced"):
		c.expectSynced(args)
	default:
		c.expectReplicas(args, args.Take("no"))
	}
}

func (c *commands) expectReplicas(args *script.Args, absent bool) {
	name := args.Word()
	e, ok := c.entities[name]
	if !ok {
		args.Fail(fmt.Errorf("no entity was spawned as %q", name))
	}
	components := takeUntil(args, "on")
	for _, client := range c.clientArgs(args) {
		if err := c.expectReplica(client, e, absent, components); err != nil {
			args.Fail(fmt.Errorf("client %d: %w", client, err))
		}
	}
}

// expectSynced checks that clients are synced. The scene must have clocks.
func (c *commands) expectSynced(args *script.Args) {
	scene, ok := c.scene.(interface{ Synced(client int) bool })
	if !ok {
		args.Fail(errors.New("the clients of this scene have no clock"))
	}
	for _, client := range c.clientArgs(args) {
		if !scene.Synced(client) {
			args.Fail(fmt.Errorf("client %d does not know the server's time", client))
		}
	}
}

// takeUntil takes the words before the word end, and end itself.
func takeUntil(args *script.Args, end string) (words []string) {
	for args.Len() > 0 && !args.Take(end) {
		words = append(words, args.Word())
	}
	return words
}

func (c *commands) expectReplica(client int, e ecs.Entity, absent bool, components []string) error {
	local, ok := c.scene.Local(client, e)
	switch {
	case absent && ok:
		return fmt.Errorf("it has a copy, %v", local)
	case absent:
		return nil
	case !ok:
		return fmt.Errorf("it has no copy")
	}
	for _, word := range components {
		if err := c.expectComponent(client, local, word); err != nil {
			return err
		}
	}
	return nil
}

func (c *commands) expectComponent(client int, e ecs.Entity, word string) error {
	w := c.scene.World(client)
	name, without := strings.CutPrefix(word, "-")
	name, want, hasValue := strings.Cut(name, "=")
	t, err := c.componentType(name)
	if err != nil {
		return err
	}
	id := ecs.TypeID(w, t)
	switch {
	case w.Has(e, id) == without && without:
		return fmt.Errorf("its copy has %s", name)
	case w.Has(e, id) == without:
		return fmt.Errorf("its copy has no %s", name)
	case !hasValue:
		return nil
	}
	wanted := reflect.New(t).Elem()
	if err := script.ParseValue(wanted, want, c.replicas(client)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	got := reflect.NewAt(t, w.Get(e, id)).Elem()
	if got.Interface() != wanted.Interface() {
		return fmt.Errorf("%s is %s", name, script.FormatValue(got))
	}
	return nil
}

// replicas returns a client's replicas of all spawned entities, by name.
func (c *commands) replicas(client int) map[string]ecs.Entity {
	copies := make(map[string]ecs.Entity, len(c.entities))
	for name, e := range c.entities {
		copies[name], _ = c.scene.Local(client, e)
	}
	return copies
}
