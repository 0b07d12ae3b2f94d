package scene_test

import (
	"reflect"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// Push is an input of scripts: the position to be at, the height of a hop, and the entity to go to
// afterwards.
type Push struct {
	To    int8
	Hop   int8 `net:"event"`
	After ecs.Entity
}

func pushProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "push", TickRate: 50})
	protocol.Component[Spot](p)
	protocol.Component[components.ControlledBy](p)
	protocol.Input[Push](p)
	return p
}

// pushes moves the pushed entities.
func pushes(w *ecs.World) func() {
	all, spots := generic.NewFilter2[Spot, Push](), generic.NewMap1[Spot](w)
	return func() {
		for q := all.Query(w); q.Next(); {
			s, push := q.Get()
			s.X = push.To
			s.Y += push.Hop
			if !push.After.IsZero() {
				s.X = spots.Get(push.After).X
			}
		}
	}
}

func newPushScene(t *testing.T) script.Verbs {
	game := newGame(t, pushProtocol, 0, plugin.Func(pushes))
	return game.Verbs(append(sceneTypes, reflect.TypeFor[Push](), reflect.TypeFor[components.Replicate]())...)
}

// A script can press inputs like players do.
func TestScriptsPress(t *testing.T) {
	script.Check(t, "testdata/press/press.txt", newPushScene(t), *update)
}

func TestPressFailsWithASentence(t *testing.T) {
	const begin = "connect 1\nspawn a Spot=1,2 Push Replicate\nspawn b Spot=1,2 Replicate\nowner b 1\nrun 1s\n"
	for text, want := range map[string]string{
		"press":                        "an argument is missing",
		"press 2 a Push=1":             `"2" is no client`,
		"press 1 a Push=1":             `client 1 does not control "a"`,
		"press 1 b Push=1,0,@":         `"b" has no input *scene_test.Push`,
		"owner a 1\nrun 1s\npress 1 a": "an argument is missing",

		"owner a 1\nrun 1s\npress 1 a Push=1,0,@c": `"@c" is no entity`,
	} {
		steps, err := script.Parse("s", begin+text)
		require.NoError(t, err)
		_, err = steps.Run(newPushScene(t))
		assert.ErrorContains(t, err, want, text)
	}
}
