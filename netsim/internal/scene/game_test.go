package scene_test

import (
	"maps"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/netsim/internal/scene"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// sceneProtocol registers the components that scripts use. Private is not registered.
func sceneProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "scene", TickRate: 50})
	protocol.Component[Spot](p)
	protocol.Component[Health](p)
	protocol.Component[Aim](p)
	protocol.Component[Flag](p)
	protocol.Component[Birth](p).ReplicateOnce()
	protocol.Component[Tether](p)
	protocol.Component[Crate](p)
	protocol.Component[components.ChildOf](p)
	protocol.Resource[Round](p)
	return p
}

// Birth is sent once, Tether is a relation, and Round a resource.
type (
	Flag    struct{}
	Private struct{ Number uint8 }
	Birth   struct{ Tick uint8 }
	Crate   struct{ Data [75]float64 }
	Tether  struct {
		ecs.Relation
		Length uint8
	}
	Round struct {
		Number uint8
		Map    string
		Order  []ecs.Entity
	}
)

var gameTypes = append([]reflect.Type{
	reflect.TypeFor[Flag](), reflect.TypeFor[Birth](), reflect.TypeFor[Crate](), reflect.TypeFor[Tether](), reflect.TypeFor[components.ChildOf](), reflect.TypeFor[Private](), reflect.TypeFor[components.Replicate](),
	reflect.TypeFor[components.NoReplicateChildren](),
}, sceneTypes...)

// gameVerbs returns the verbs of game scripts. One that begins with
//
//	cap BYTES
//
// sets a cap of so many bytes per second for each client.
func gameVerbs(t *testing.T) script.Verbs {
	verbs := newGameScene(t, 0).Verbs(gameTypes...)
	verbs["cap"] = func(args *script.Args, _ *script.Trace) {
		if bytes := args.Int(); args.Err() == nil {
			maps.Copy(verbs, newGameScene(t, bytes).Verbs(gameTypes...))
		}
	}
	return verbs
}

func newGameScene(t *testing.T, limit int) *scene.Game {
	game := newGame(t, sceneProtocol, limit)
	game.Use(scene.Resource[Round](), scene.Overridden[Spot](), scene.Overridden[Health]())
	return game
}

// newGame makes a watched game of a protocol, with a cap in bytes per second for each client, or 0,
// and with systems in FixedMain of its server.
func newGame(t *testing.T, register func() *protocol.Protocol, limit int, systems ...plugin.System) *scene.Game {
	sim := netsim.New(t, netsim.Config{Seed: 1})
	config := sim.ServerConfig(register())
	config.MaxBytesPerClient = limit
	server, err := plugin.NewServer(config)
	require.NoError(t, err)
	for _, system := range systems {
		server.AddSystem(plugin.FixedMain, system)
	}
	sim.AddServer(server, server)
	sim.Watch()
	return scene.New(sim, func(id entangle.ClientID) *netsim.Peer {
		c, err := plugin.NewClient(sim.ClientConfig(register()))
		require.NoError(t, err)
		return sim.AddClient(id, c, c)
	})
}

// Scripts run against a real server and real clients. Each file begins with a description of its
// scenario.
//
// Proves: R1, R2, R4, R5, R6, R7, R8, R9, R13, R14, R15, R19, R25, R29, R35, H1, H2, H3, H4, H7, H9
// Proves: V1, V4, V5, V6, V7, V8, V11, V14, V15
func TestGameScripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/game/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			script.Check(t, path, gameVerbs(t), *update)
		})
	}
}

func TestGameVerbsFailWithASentence(t *testing.T) {
	for text, want := range map[string]string{
		"kick 1 out":                                                  `"1" is no client; there are []`,
		"connect 1\nkick 1 out":                                       "client 1 is not connected",
		"connect 1\nreconnect 1":                                      `"1" is no client; there are []`,
		"spawn a Flag\ngroup a 1":                                     `"a" has no Replicate; insert it first`,
		"spawn a Flag Replicate\ngroup a 4294967296":                  "a group has a number up to 4294967295",
		"spawn a Flag Replicate\ngroup a":                             "an argument is missing",
		"group a 1":                                                   `no entity was spawned as "a"`,
		"spawn a Flag\ntarget a nobody":                               `"a" has no Replicate; insert it first`,
		"spawn a Flag\npredict a nobody":                              `"a" has no Replicate; insert it first`,
		"spawn a Flag Replicate\ntarget a friends":                    "friends is no target; give default, everyone,",
		"spawn a Flag Replicate\ntarget a only x":                     `"x" is no client; give its number`,
		"spawn a Flag Replicate\ntarget a except":                     "an argument is missing",
		"spawn a Flag\nowner a x":                                     `"x" is no number`,
		"spawn a Flag\nattach a b":                                    `no entity was spawned as "b"`,
		"spawn a Flag\nattach a a":                                    `"a" stands above "a" already`,
		"spawn a Flag\nspawn b Flag\nattach a b\nattach b a":          `"b" stands above "a" already`,
		"spawn a Flag\nspawn b Flag\nattach a b Flag":                 "Flag is no relation; embed ecs.Relation",
		"spawn a Flag\ndetach a":                                      `"a" has no relation`,
		"connect 1\nspawn a Flag\npersist a":                          `client 1 has no copy of "a"`,
		"spawn a Flag\nrate a every 5":                                `"a" has no Replicate; insert it first`,
		"spawn a Flag Replicate\nrelevance a often":                   `"often" is no relevance; give always, interest or retained`,
		"spawn a Flag\nrelevance a always":                            `"a" has no Replicate; insert it first`,
		"spawn a Flag\nviewer a off":                                  `"a" is no viewer`,
		"spawn a Flag\nviewer a far":                                  "give radius NUMBER",
		"spawn a Flag\nviewer a radius 3 room 0":                      "0 is no room; give a number from 1",
		"room 0 add entity a":                                         "0 is no room",
		"room 3 add a":                                                "give a room, then add or remove",
		"room 3 add entity a":                                         `no entity was spawned as "a"`,
		"gain a 1":                                                    `no entity was spawned as "a"`,
		"spawn a Flag\ngain a":                                        "an argument is missing",
		"spawn a Flag Replicate\nrate a often 5":                      `"often" is no rate; give every, priority or maxage`,
		"spawn a Flag Replicate\nrate a every 65536":                  "a rate has a number up to 65535",
		"connect 1\ndrift 1 fast":                                     `"fast" is no whole number`,
		"drift server 200000":                                         "a drift of 200000 parts per million; give -100000 to 100000",
		"drift":                                                       "an argument is missing",
		"freeze 1 1s":                                                 `"1" is no client; there are []`,
		"freeze server -1s":                                           "no duration of 0 or above",
		"framerate server 0":                                          "a frame rate of 0; give 1 to 1000",
		"connect 1\nspawn a Spot=1,2 Replicate\nexpect equal":         "client 1 is Connecting",
		"connect 1\nrun 1s\nspawn a Spot=1,2 Replicate\nexpect equal": "client 1: it has no copy of the server's",

		"connect 1\nspawn a Spot=1,2 Replicate\nrun 1s\nset a Spot=1,3\nexpect equal":                    "Spot is 1,2, the server's is 1,3",
		"connect 1\nspawn a Spot=1,2 Replicate\nrun 1s\ninsert a Flag\nexpect equal":                     "it lacks scene_test.Flag",
		"connect 1\nspawn a Spot=1,2 Replicate\nrun 1s\nremove a Spot\nexpect equal":                     "it has scene_test.Spot, which the server's has not",
		"connect 1\nspawn a Spot=1,2 Replicate\nrun 1s\ndespawn a\nexpect equal":                         "is no entity of the server",
		"connect 1\nspawn a Flag Replicate\nspawn b Aim=@a Replicate\nrun 1s\nset b Aim=@\nexpect equal": "Aim is @{",
	} {
		steps, err := script.Parse("s", text)
		require.NoError(t, err)
		_, err = steps.Run(newGameScene(t, 0).Verbs(gameTypes...))
		assert.ErrorContains(t, err, want, text)
	}
}

func TestEveryPartOfALenientScriptIsAScript(t *testing.T) {
	missing := []string{
		"cut 3", "spawn a Aim=@b", "set a Spot=1,1", "despawn a", "insert a Flag", "remove a Flag", "group a 1", "kick 1 out", "reconnect 1",
		"target a nobody", "owner a 1", "rate a every 2", "attach a b", "detach a", "relevance a interest", "viewer a off", "room 1 add entity a", "room 1 add client 9", "gain a 1", "lose a 1", "forget a 1",
		"connect 1", "kick 1 out", "spawn a Spot", "target a nobody", "rate a every 2", "attach a a", "attach a b", "detach a", "spawn a Flag", "insert a Spot", "remove a Flag", "set a Flag", "group a 1", "despawn a", "set a Spot",
	}
	steps, err := script.Parse("s", strings.Join(missing, "\n"))
	require.NoError(t, err)
	_, err = steps.Run(newGameScene(t, 0).Verbs(gameTypes...).Lenient())
	assert.NoError(t, err)

	for text, want := range map[string]string{
		"cut":                 "",
		"loss 200%":           "is no share",
		"spawn a Place":       "no component",
		"spawn a Spot=1":      "fewer values",
		"despawn":             "an argument is missing",
		"spawn a Flag\nsleep": "no such verb",
	} {
		steps, err := script.Parse("s", text)
		require.NoError(t, err)
		_, err = steps.Run(newGameScene(t, 0).Verbs(gameTypes...).Lenient())
		if want == "" {
			assert.NoError(t, err)
			continue
		}
		assert.ErrorContains(t, err, want)
	}
}
