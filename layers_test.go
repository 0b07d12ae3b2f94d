package entangle_test

import (
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// layer is the height of a folder in the tree. Imports point down only.
type layer int

const (
	words    layer = iota // types that all layers share
	cores                 // pure cores, and the code that carries datagrams
	data                  // registered data, and where it is stored
	stages                // between the world and the cores, and the order of a tick
	door                  // the packages that a game uses
	network               // a simulated network for tests
	programs              // programs that use the library
)

func (l layer) String() string {
	return [...]string{"words", "cores", "data", "stages", "door", "network", "programs"}[l]
}

// place puts a folder, and every folder below it that has no place of its own, on a layer.
type place struct {
	folder string
	layer  layer
	pure   bool     // no clock, socket, goroutine, lock, log, randomness, ECS or third party
	unsafe bool     // may import unsafe
	except []string // packages that a pure place may import nevertheless
}

// places is the tree as it should be. The folder "." stands for the root package alone.
var places = []place{
	{folder: ".", layer: words},
	{folder: "protocol/bits", layer: words},
	{folder: "internal/alloctest", layer: words},
	{folder: "internal/ring", layer: words, pure: true},
	{folder: "internal/set", layer: words, pure: true},

	{folder: "internal/core", layer: cores, pure: true},
	{folder: "prespawn", layer: cores, pure: true},
	{folder: "transport", layer: cores},
	{folder: "connection", layer: cores},
	{folder: "connection/trusted", layer: cores, pure: true},
	// The default source of keys is the operating system, because a key must not be guessed.
	{folder: "transport/token", layer: cores, pure: true, except: []string{"crypto/rand"}},
	{folder: "transport/token/tokenhttp", layer: cores},

	{folder: "internal/wire", layer: data, unsafe: true},
	{folder: "internal/registry", layer: data},
	{folder: "protocol", layer: data, unsafe: true},
	{folder: "components", layer: data},
	{folder: "controls", layer: data},
	{folder: "internal/columns", layer: data, unsafe: true},

	{folder: "internal/world", layer: stages},
	{folder: "systems", layer: stages},
	{folder: "visualinterp", layer: stages},

	{folder: "plugin", layer: door},

	{folder: "netsim", layer: network},

	{folder: "examples", layer: programs},
	{folder: "benchmarks", layer: programs},
	{folder: "benchmarks/sockets", layer: programs, unsafe: true},
	{folder: "test", layer: programs},
}

// sibling is an allowed import between two folders of one layer, with the reason for it. All others
// are refused, so that the packages of a layer do not become entangled. "a/..." stands for the
// folder a and all folders below it.
type sibling struct{ from, to, why string }

var siblings = []sibling{
	{"benchmarks", "benchmarks/cases", "the cases that it runs"},
	{"benchmarks", "benchmarks/clock", "the page that it writes"},
	{"benchmarks/cases", "benchmarks/clock", "one case among the others"},
	{"benchmarks/cases", "benchmarks/limits", "the other side of a case"},
	{"benchmarks/cases", "benchmarks/report", "a case is a list of variants"},
	{"benchmarks/cases", "benchmarks/sockets", "the clients of a case with sockets"},
	{"benchmarks/cases", "benchmarks/workload", "what a case works on"},
	{"benchmarks/clock", "benchmarks/report", "a case is a list of variants"},
	{"benchmarks/clock", "benchmarks/workload", "what a case works on"},
	{"benchmarks/limits", "benchmarks/report", "the parts of a limit that are measured alone"},
	{"benchmarks/limits", "benchmarks/sockets", "the system calls that a limit consists of"},
	{"benchmarks/limits", "benchmarks/workload", "works on the same as the case"},
	{"benchmarks/peers", "benchmarks/cases", "our side of a scenario"},
	{"benchmarks/peers", "benchmarks/report", "a scenario is a variant"},
	{"connection/connectiontest", "connection", "checks what the interface promises"},
	{"connection/internal/socket", "connection", "counts traffic in its words"},
	{"connection/internal/socket", "transport", "an open end of a transport"},
	{"connection/netcode", "connection", "implements the interface"},
	{"connection/netcode", "connection/internal/socket", "reads and writes sockets as every layer over transports"},
	{"connection/netcode", "internal/core/session", "netcode itself"},
	{"connection/netcode", "transport", "any transports carry it"},
	{"connection/netcode", "transport/token", "a client shows a token"},
	{"examples/intents", "examples/internal/look", "draws in the same colours"},
	{"examples/intents", "examples/internal/program", "options, and what it exits with"},
	{"examples/intents", "examples/internal/stage", "where it is played"},
	{"examples/interest", "examples/internal/look", "draws in the same colours"},
	{"examples/interest", "examples/internal/program", "options, and what it exits with"},
	{"examples/interest", "examples/internal/smooth", "counts what is not smooth, and switches interpolation"},
	{"examples/interest", "examples/internal/stage", "where it is played"},
	{"examples/physics", "examples/internal/look", "draws in the same colours"},
	{"examples/physics", "examples/internal/program", "options, and what it exits with"},
	{"examples/physics", "examples/internal/stage", "where it is played"},
	{"examples/priority", "examples/internal/look", "draws in the same colours"},
	{"examples/priority", "examples/internal/program", "options, and what it exits with"},
	{"examples/priority", "examples/internal/smooth", "counts what is not smooth, and switches interpolation"},
	{"examples/priority", "examples/internal/stage", "where it is played"},
	{"examples/shooter", "examples/internal/look", "draws in the same colours"},
	{"examples/shooter", "examples/internal/program", "options, and what it exits with"},
	{"examples/shooter", "examples/internal/stage", "where it is played"},
	{"examples/simplebox", "examples/internal/look", "draws in the same colours"},
	{"examples/simplebox", "examples/internal/program", "options, and what it exits with"},
	{"examples/simplebox", "examples/internal/smooth", "counts what is not smooth, and switches interpolation"},
	{"examples/simplebox", "examples/internal/stage", "which sides are played, and with which key"},
	{"examples/snake", "examples/internal/look", "draws in the same colours"},
	{"examples/snake", "examples/internal/program", "options, and what it exits with"},
	{"examples/snake", "examples/internal/smooth", "counts what is not smooth, and switches interpolation"},
	{"examples/snake", "examples/internal/stage", "where it is played"},
	{"examples/internal/stage", "examples/internal/program", "options as they are written"},
	{"connection/trusted", "connection", "implements the interface"},
	{"connection/trusted", "connection/internal/socket", "reads and writes sockets as every layer over transports"},
	{"connection/trusted", "transport", "any transport carries it"},
	{"internal/core/input", "internal/core/timesync", "carries the times that a screen shows"},
	{"internal/core/peer", "internal/core/budget", "a peer divides what a frame may cost"},
	{"internal/core/peer", "internal/core/channel", "a peer is one end with all its layers: messages,"},
	{"internal/core/peer", "internal/core/packet", "the packets they travel in,"},
	{"internal/core/peer", "internal/core/repl", "and replication,"},
	{"internal/core/peer", "internal/core/repl/receiver", "of what comes in"},
	{"internal/core/peer", "internal/core/repl/sender", "and of what goes out"},
	{"internal/core/repl/delta", "internal/core/repl", "a history reaches as far as the bases of updates"},
	{"internal/core/repl/encode", "internal/core/repl", "writes the records that both ends share,"},
	{"internal/core/repl/encode", "internal/core/repl/flight", "in runs that packets carry,"},
	{"internal/core/repl/encode", "internal/core/repl/group", "of groups,"},
	{"internal/core/repl/encode", "internal/core/repl/ident", "by their handles,"},
	{"internal/core/repl/encode", "internal/core/repl/view", "without the parts that a view hides"},
	{"internal/core/repl/flight", "internal/core/repl", "packets and messages name groups by handle"},
	{"internal/core/repl/group", "internal/core/repl", "groups of the entities that both ends talk of"},
	{"internal/core/repl/group", "internal/core/repl/flight", "runs of groups that are sent as one"},
	{"internal/core/repl/group", "internal/core/repl/ident", "a group has handles"},
	{"internal/core/repl/group", "internal/core/repl/view", "and parts that are hidden"},
	{"internal/core/repl/ident", "internal/core/repl", "gives out handles and generations"},
	{"internal/core/repl/confirm", "internal/core/repl", "reads marks and needs, in the words that both ends share"},
	{"internal/core/repl/receiver", "internal/core/repl", "both ends of replication share its words"},
	{"internal/core/repl/schedule", "internal/core/repl", "counts what updates take,"},
	{"internal/core/repl/schedule", "internal/core/repl/encode", "has them encoded,"},
	{"internal/core/repl/schedule", "internal/core/repl/flight", "repeats them,"},
	{"internal/core/repl/schedule", "internal/core/repl/group", "by what a peer has of each group,"},
	{"internal/core/repl/schedule", "internal/core/repl/ident", "by handle"},
	{"internal/core/repl/receiver", "internal/core/repl/confirm", "finds the confirmed tick"},
	{"internal/core/repl/sender", "internal/core/repl", "both ends of replication share its words"},
	{"internal/core/repl/sender", "internal/core/repl/encode", "sends what is encoded once"},
	{"internal/core/repl/sender", "internal/core/repl/flight", "a sender waits for the fate of all that it sent"},
	{"internal/core/repl/sender", "internal/core/repl/group", "sends the groups of a world"},
	{"internal/core/repl/sender", "internal/core/repl/ident", "a group has a handle at each peer"},
	{"internal/core/repl/sender", "internal/core/repl/schedule", "in the order that is planned"},
	{"internal/core/repl/sender", "internal/core/repl/view", "and a view of each group"},
	{"internal/core/repl/sender", "internal/core/rewind", "and records what a peer has received, for lag compensation"},
	{"internal/core/repl/view", "internal/core/repl", "a view hides members by number"},
	{"internal/core/rewind", "internal/core/snapshot", "blends values as the client does,"},
	{"internal/core/rewind", "internal/core/timesync", "at the times of its screens"},
	{"internal/core/session", "internal/core/replay", "each packet once"},
	{"internal/core/session", "transport/token", "a session opens the tokens that a client shows"},
	{"internal/world/apps", "internal/world/endpoint", "holds the parts of an app: the end of its connections,"},
	{"internal/world/apps", "internal/world/event", "the status of inputs,"},
	{"internal/world/apps", "internal/world/input", "the inputs,"},
	{"internal/world/apps", "internal/world/inspect", "what tests are shown,"},
	{"internal/world/apps", "internal/world/message", "messages and resources,"},
	{"internal/world/apps", "internal/world/predict", "prediction,"},
	{"internal/world/apps", "internal/world/sink", "the applied world"},
	{"internal/world/apps", "internal/world/source", "or the sent one"},
	{"internal/world/endpoint", "internal/world/event", "raises connection events, and those of the local player"},
	{"internal/world/endpoint", "internal/world/input", "carries the inputs of its clients"},
	{"internal/world/endpoint", "internal/world/inspect", "shows what it holds"},
	{"internal/world/endpoint", "internal/world/message", "carries messages and resources"},
	{"internal/world/endpoint", "internal/world/refs", "chains of the local player's references"},
	{"internal/world/endpoint", "internal/world/sink", "a client applies what it receives,"},
	{"internal/world/endpoint", "internal/world/source", "and a server sends its world"},
	{"internal/world/endpoint", "internal/world/tick", "at a tick, by the clock"},
	{"internal/world/input", "internal/world/event", "raises what became of an input"},
	{"internal/world/input", "internal/world/message", "a replay of ticks silences messages"},
	{"internal/world/input", "internal/world/sink", "inputs go to entities that a client received,"},
	{"internal/world/input", "internal/world/source", "and come from entities that a server sends"},
	{"internal/world/input", "internal/world/tick", "the schedule replays ticks"},
	{"internal/world/message", "internal/world/event", "raises what arrived"},
	{"internal/world/message", "internal/world/inspect", "shows the resources"},
	{"internal/world/message", "internal/world/sink", "references to entities that a client received,"},
	{"internal/world/message", "internal/world/source", "or that a server sends"},
	{"internal/world/predict", "internal/world/event", "raises corrections"},
	{"internal/world/predict", "internal/world/input", "replays ticks with their inputs"},
	{"internal/world/predict", "internal/world/message", "resources go back, too"},
	{"internal/world/predict", "internal/world/sink", "compares with the confirmed state"},
	{"internal/world/predict", "internal/world/source", "rounds values as the sender does"},
	{"internal/world/predict", "internal/world/tick", "follows the schedule"},
	{"internal/world/sink", "internal/world/event", "raises what changed"},
	{"internal/world/sink", "internal/world/inspect", "shows the copy"},
	{"internal/world/sink", "internal/world/refs", "references that wait, and histories"},
	{"internal/world/sink", "internal/world/source", "shares the plan of relations and of rounding"},
	{"internal/world/sink", "internal/world/tick", "shares the listener, and hands over what is on the screen"},
	{"internal/world/source", "internal/world/inspect", "shows the world that is sent"},
	{"internal/world/source", "internal/world/refs", "references that wait, and histories"},
	{"internal/world/source", "internal/world/tick", "one world has one listener"},
	{"internal/registry", "internal/wire", "a registered type has its plan"},
	{"internal/registry", "internal/wire/blend", "and functions that blend its values"},
	{"internal/wire", "internal/wire/stepcode", "codes the steps of differences"},
	{"internal/wire/blend", "internal/wire", "finds the floats of a type by their tags"},
	{"netsim", "netsim/internal/oracle", "compares the worlds of its server and clients"},
	{"netsim/internal/oracle", "netsim/internal/script", "shows values as scripts write them"},
	{"netsim/internal/scene", "netsim", "scripts act on a simulation"},
	{"netsim/internal/scene", "netsim/internal/script", "has the verbs of scripts"},
	{"protocol", "components", "the tick of a blueprint"},
	{"protocol", "internal/registry", "fills the registry that all other packages read"},
	{"protocol", "internal/wire", "compiles the registered types"},
	{"protocol", "internal/wire/blend", "compiles the functions that blend"},
	{"protocol/kelindar", "protocol", "a codec of messages, which a game may bring along"},
	{"systems", "internal/world/endpoint", "receives and sends packets,"},
	{"systems", "internal/world/event", "ends the events of a frame,"},
	{"systems", "internal/world/input", "runs each tick with its inputs,"},
	{"systems", "internal/world/message", "finds which resources changed,"},
	{"systems", "internal/world/predict", "compares and rolls back,"},
	{"systems", "internal/world/sink", "shows the interpolated entities"},
	{"systems", "internal/world/source", "and finds what changed in the world:"},
	{"systems", "internal/world/tick", "each in its stage of a frame"},
	{"transport/conditioner", "transport", "wraps any transport"},
	{"transport/internal/queue", "transport", "a queue holds datagrams and their addresses"},
	{"transport/memory", "transport", "implements the interface"},
	{"transport/memory", "transport/internal/queue", "a bounded inbox, as every transport has"},
	{"transport/token/tokenhttp", "transport/token", "hands tokens out and fetches them"},
	{"transport/transporttest", "transport", "checks what the interface promises"},
	{"transport/udp", "transport", "implements the interface"},
	{"transport/udp", "transport/internal/address", "reads what to bind to"},
	{"transport/udp", "transport/internal/queue", "a bounded inbox, as every transport has"},
	{"transport/websocket", "transport", "implements the interface"},
	{"transport/websocket", "transport/internal/address", "reads what to bind to"},
	{"transport/websocket", "transport/internal/queue", "bounded queues, both ways"},
	{"visualinterp", "internal/world/tick", "has its places in a frame, beside the engine"},
}

// TestLayers checks the direction of imports, the purity of the cores, and the packages that use
// unsafe, over the whole tree.
func TestLayers(t *testing.T) {
	tree, err := readTree(os.DirFS("."))
	require.NoError(t, err)
	require.NotEmpty(t, tree.folders)
	for _, v := range checkLayers(tree, places, siblings) {
		t.Error(v)
	}
}

// TestLayersAreRefused makes one violation in a small tree, and checks what is reported.
func TestLayersAreRefused(t *testing.T) {
	down := []sibling{{"internal/core/session", "transport/token", "opens tokens"}}
	cases := map[string]struct {
		siblings []sibling
		files    map[string]string
		says     string
	}{
		"an arrow up": {
			nil,
			map[string]string{
				"components/target.go": `package components; import _ "github.com/entangle-ecs/entangle/plugin"`,
				"plugin/plugin.go":     `package plugin`,
			},
			`components/target.go imports plugin: an arrow up, from the layer "data" to "door"`,
		},
		"an arrow between siblings": {
			nil,
			map[string]string{
				"internal/world/tick/send.go": `package tick; import _ "github.com/entangle-ecs/entangle/visualinterp"`,
				"visualinterp/layer.go":       `package visualinterp`,
			},
			`internal/world/tick/send.go imports visualinterp: both stand on the layer "stages", and the table of siblings does not list this arrow`,
		},
		"a listed sibling the other way": {
			down,
			map[string]string{
				"transport/token/mint.go":       `package token; import _ "github.com/entangle-ecs/entangle/internal/core/session"`,
				"internal/core/session/slot.go": `package session; import _ "github.com/entangle-ecs/entangle/transport/token"`,
			},
			`transport/token/mint.go imports internal/core/session: both stand on the layer "cores", and the table of siblings does not list this arrow`,
		},
		"a listed sibling that is gone": {
			down,
			map[string]string{"internal/core/session/slot.go": `package session`},
			`the table of siblings lists internal/core/session to transport/token, but no file imports it so: take the line out`,
		},
		"a folder without a place": {
			nil,
			map[string]string{"helpers/x.go": `package helpers`},
			`helpers: a folder without a place; give it a layer in the table of layers_test.go`,
		},
		"a socket in a core": {
			nil,
			map[string]string{"internal/core/packet/ack.go": `package packet; import _ "net"`},
			`internal/core/packet/ack.go imports net: a core has no socket`,
		},
		"a second clock in a core": {
			nil,
			map[string]string{"internal/core/packet/ack.go": `package packet
				import clock "time"
				func f() { _ = clock.Now() }`},
			`internal/core/packet/ack.go:3 uses time.Now: a core has no clock, now is an argument`,
		},
		"a clock handed around in a core": {
			nil,
			map[string]string{"internal/core/packet/ack.go": `package packet
				import "time"
				func f() (any, any) { return 1, time.After }`},
			`internal/core/packet/ack.go:3 uses time.After: a core has no clock, now is an argument`,
		},
		"a goroutine in a core": {
			nil,
			map[string]string{"internal/core/packet/ack.go": `package packet
				func f() { go f() }`},
			`internal/core/packet/ack.go:2 starts a goroutine: a core runs in its caller's`,
		},
		"a variable of a core's package that is written": {
			nil,
			map[string]string{"internal/core/packet/ack.go": `package packet
				var table = [4]int{}
				func f() { table[1]++ }`},
			`internal/core/packet/ack.go:3 writes table: a core has no state of its package`,
		},
		"a variable of a core's package that waits to be written": {
			nil,
			map[string]string{"internal/core/packet/ack.go": `package packet
				var last uint16`},
			`internal/core/packet/ack.go:2 declares last without a value: a core has no state of its package`,
		},
		"chance in a core": {
			nil,
			map[string]string{"internal/core/packet/ack.go": `package packet; import _ "math/rand/v2"`},
			`internal/core/packet/ack.go imports math/rand/v2: a core has no chance, it comes in as an argument`,
		},
		"the system's chance in a core": {
			nil,
			map[string]string{"internal/core/session/key.go": `package session; import _ "crypto/rand"`},
			`internal/core/session/key.go imports crypto/rand: a core has no chance, it comes in as an argument`,
		},
		"an ECS in a core": {
			nil,
			map[string]string{"internal/core/repl/send.go": `package repl; import _ "github.com/mlange-42/arche/ecs"`},
			`internal/core/repl/send.go imports github.com/mlange-42/arche/ecs: a core knows no third party but golang.org/x/crypto`,
		},
		"a lock below a core": {
			nil,
			map[string]string{
				"transport/token/open.go": `package token; import _ "github.com/entangle-ecs/entangle/protocol/bits"`,
				"protocol/bits/pool.go":   `package bits; import _ "sync"`,
			},
			`protocol/bits/pool.go imports sync: a core has no lock (reached by transport/token > protocol/bits)`,
		},
		"unsafe outside its folders": {
			nil,
			map[string]string{"internal/world/sink/fast.go": `package sink; import _ "unsafe"`},
			`internal/world/sink/fast.go imports unsafe: only internal/columns, internal/wire, protocol and benchmarks/sockets may`,
		},
		"unsafe in a core": {
			nil,
			map[string]string{"internal/core/repl/fast.go": `package repl; import _ "unsafe"`},
			`internal/core/repl/fast.go imports unsafe: only internal/columns, internal/wire, protocol and benchmarks/sockets may`,
		},
		"a folder that does not exist": {
			nil,
			map[string]string{"plugin/server.go": `package plugin; import _ "github.com/entangle-ecs/entangle/gone"`},
			`plugin/server.go imports gone: no such folder in this module`,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			tree, err := readTree(memoryTree(c.files))
			require.NoError(t, err)
			assert.Equal(t, []string{c.says}, checkLayers(tree, places, c.siblings))
		})
	}
}

// TestLayersAreAccepted checks that valid trees are not reported.
func TestLayersAreAccepted(t *testing.T) {
	tree, err := readTree(memoryTree(map[string]string{
		"entangle.go":   `package entangle`,
		"words_test.go": `package entangle_test; import _ "github.com/entangle-ecs/entangle/plugin"`,
		"internal/core/session/slot.go": `package session
			import ("errors"; "time"; "net/netip"; "golang.org/x/crypto/chacha20poly1305"; "github.com/entangle-ecs/entangle"; "github.com/entangle-ecs/entangle/transport/token")
			var errFull = errors.New("full")
			var sizes = [...]int{18, 1078}
			var _ = netip.Addr{}
			func f(now time.Time) (d time.Duration) { last := 1; last++; return now.Sub(now) }`,
		"internal/core/session/slot_test.go": `package session; import _ "os"`,
		"transport/token/open.go":            `package token; import _ "crypto/rand"`,
		"transport/udp/listen.go":            `package udp; import ("net"; "time"); var _ = time.Now; var _ net.Addr`,
		"protocol/plan.go":                   `package protocol; import _ "unsafe"`,
		"plugin/plugin.go":                   `package plugin; import _ "github.com/entangle-ecs/entangle/transport/udp"`,
		"plugin/testdata/bad.go":             `package bad; import _ "github.com/entangle-ecs/entangle/netsim"`,
	}))
	require.NoError(t, err)
	assert.Empty(t, checkLayers(tree, places, []sibling{{"internal/core/session", "transport/token", "opens tokens"}}))
}

func memoryTree(files map[string]string) fstest.MapFS {
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree
}
