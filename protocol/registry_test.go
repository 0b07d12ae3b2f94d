package protocol_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol"
)

type (
	hello   struct{ Text string }
	pingQ   struct{ N uint8 }
	pongA   struct{ N uint8 }
	weather struct{ Rain float32 }
	memo    struct{ Count uint8 }
)

// game registers one type of every kind.
func game(options ...func(*protocol.Protocol)) *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "game", TickRate: 30})
	c := p.Channel(protocol.ChannelConfig{Name: "chat", Mode: protocol.UnorderedReliable})
	protocol.Component[pose](p).Predict(protocol.Full).Interpolate(protocol.Linear)
	protocol.Component[plain](p)
	protocol.Input[button](p).Rebroadcast()
	protocol.Message[hello](p).Via(c).Relay()
	protocol.Request[pingQ, pongA](p)
	protocol.Resource[weather](p).Rollback()
	protocol.Local[memo](p)
	for _, o := range options {
		o(p)
	}
	return p
}

// Proves: G1
func TestWhatIsRegisteredCanBeRead(t *testing.T) {
	p := game()
	require.NoError(t, registry.Seal(p))
	r := registry.Of(p)

	require.Len(t, r.Components, 3, "an input is a component, too")
	spot := r.ComponentOf(reflect.TypeFor[pose]())
	assert.Same(t, r.Components[2], spot)
	assert.Equal(t, 2, spot.Number)
	assert.Equal(t, "github.com/entangle-ecs/entangle/protocol_test.pose", spot.Name)
	assert.Equal(t, registry.Full, spot.Predict)
	assert.True(t, spot.Round, "predicted and quantised")
	assert.Equal(t, 28, spot.Plan.Size())
	assert.Equal(t, 80, spot.Plan.MaxBits())
	assert.NotNil(t, spot.Blend)
	assert.Nil(t, r.ComponentOf(reflect.TypeFor[plain]()).Blend)
	assert.Nil(t, r.ComponentOf(reflect.TypeFor[hello]()))

	require.Len(t, r.Inputs, 1)
	input := r.Inputs[0]
	assert.Equal(t, reflect.TypeFor[button](), input.Type)
	assert.True(t, input.Rebroadcast)
	assert.Len(t, input.Plan.Events(), 2)
	require.Len(t, r.Messages, 1)
	message := r.Messages[0]
	assert.Equal(t, reflect.TypeFor[hello](), message.Type)
	assert.Equal(t, registry.UnorderedReliable, message.Mode)
	assert.Equal(t, registry.Bidirectional, message.Direction)
	assert.Equal(t, "chat", message.Channel.Name)
	assert.True(t, message.Relay)
	require.Len(t, r.Requests, 1)
	request := r.Requests[0]
	assert.Equal(t, reflect.TypeFor[pingQ](), request.Question.Type())
	assert.Equal(t, reflect.TypeFor[pongA](), request.Answer.Type())
	require.Len(t, r.Resources, 1)
	assert.Equal(t, reflect.TypeFor[weather](), r.Resources[0].Type)
	assert.True(t, r.Resources[0].Rollback)
	assert.Equal(t, reflect.TypeFor[memo](), r.Locals[0].Type)
	assert.Len(t, r.Channels, 1)
}

// Proves: P17
func TestAGameDefinesChannelsOrNone(t *testing.T) {
	p := protocol.New(protocol.Config{Name: "game"})
	one := p.Channel(protocol.ChannelConfig{
		Name: "news", Mode: protocol.SequencedReliable, Priority: 3, Direction: protocol.ServerToClient,
	})
	protocol.Message[hello](p).Via(one)
	protocol.Message[pingQ](p)
	protocol.Message[pongA](p).Mode(protocol.SequencedUnreliable).Direction(protocol.ClientToServer)
	require.NoError(t, p.Err())
	of := map[reflect.Type]*registry.Message{}
	for _, m := range registry.Of(p).Messages {
		of[m.Type] = m
	}

	news := of[reflect.TypeFor[hello]()]
	assert.Equal(t, float32(3), news.Channel.Priority)
	assert.Equal(t, registry.SequencedReliable, news.Mode)
	assert.Equal(t, registry.ServerToClient, news.Direction, "its channel's")
	plain := of[reflect.TypeFor[pingQ]()]
	assert.Nil(t, plain.Channel)
	assert.Equal(t, registry.OrderedReliable, plain.Mode)
	assert.Equal(t, registry.Bidirectional, plain.Direction)
	assert.Equal(t, registry.ClientToServer, of[reflect.TypeFor[pongA]()].Direction)
	assert.Equal(t, "news", one.Name())
}

// Each side may set its own priorities of messages.
func TestPrioritiesNeedNotBeEqualOnBothSides(t *testing.T) {
	one, other := protocol.New(protocol.Config{Name: "game"}), protocol.New(protocol.Config{Name: "game"})
	c := one.Channel(protocol.ChannelConfig{Name: "news", Priority: 3, KeepUnsent: true})
	protocol.Message[hello](one).Via(c).Priority(7)
	protocol.Message[hello](other).Via(other.Channel(protocol.ChannelConfig{Name: "news"}))
	require.NoError(t, one.Err())
	assert.Equal(t, one.Hash(), other.Hash())
	assert.Equal(t, float32(7), registry.Of(one).Messages[0].Priority)
	assert.Equal(t, float32(1), registry.Of(other).Messages[0].Priority)
}

func TestNumbersDoNotDependOnTheOrderOfRegistration(t *testing.T) {
	steps := []func(p *protocol.Protocol){
		register[pose], register[plain], register[flags], register[links],
		func(p *protocol.Protocol) { protocol.Message[hello](p) },
		func(p *protocol.Protocol) { protocol.Message[pingQ](p) },
		func(p *protocol.Protocol) { p.Channel(protocol.ChannelConfig{Name: "b"}) },
		func(p *protocol.Protocol) { p.Channel(protocol.ChannelConfig{Name: "a"}) },
	}
	make := func(order []func(p *protocol.Protocol)) *protocol.Protocol {
		p := protocol.New(protocol.Config{Name: "game"})
		for _, step := range order {
			step(p)
		}
		require.NoError(t, p.Err())
		return p
	}
	first := make(steps)
	rapid.Check(t, func(t *rapid.T) {
		other := make(rapid.Permutation(steps).Draw(t, "order"))
		require.Equal(t, registry.Of(first).Entries, registry.Of(other).Entries)
		require.Equal(t, first.Hash(), other.Hash())
	})
}

// The expected hash was computed on amd64. Other machines must compute the same one.
//
// Proves: G2
func TestHashIsTheSameOnAllMachines(t *testing.T) {
	p := game(register[ranged], register[platform], register[quantised], register[angles], register[quats], register[nested], register[links])
	require.NoError(t, p.Err())
	assert.Equal(t, uint64(0x943f19e35cbcaab0), p.Hash())
	assert.Equal(t, p.Hash(), game(register[nested], register[links], register[ranged], register[platform], register[quats], register[quantised], register[angles]).Hash())
}

// Every difference that matters changes the hash, and no other difference does.
//
// Proves: G2, C16
func TestADifferenceIsFoundAndNamed(t *testing.T) {
	base := game()
	require.NoError(t, base.Err())
	differ := func(name, line string, other *protocol.Protocol) {
		require.NoError(t, other.Err(), name)
		assert.NotEqual(t, base.Hash(), other.Hash(), name)
		assert.Equal(t, line, registry.Diff(registry.Of(base).Entries, registry.Of(other).Entries), name)
	}
	differ("component", "component github.com/entangle-ecs/entangle/protocol_test.flags is registered only on the client", game(register[flags]))
	differ("message", "message github.com/entangle-ecs/entangle/protocol_test.pingQ is registered only on the client",
		game(func(p *protocol.Protocol) { protocol.Message[pingQ](p) }))
	differ("channel", "channel extra is registered only on the client",
		game(func(p *protocol.Protocol) { p.Channel(protocol.ChannelConfig{Name: "extra"}) }))

	assert.Equal(t, "component github.com/entangle-ecs/entangle/protocol_test.flags is registered only on the server",
		registry.Diff(registry.Of(game(register[flags])).Entries, registry.Of(base).Entries))
	assert.Empty(t, registry.Diff(registry.Of(base).Entries, registry.Of(game()).Entries))

	faster := protocol.New(protocol.Config{Name: "game", TickRate: 20})
	slower := protocol.New(protocol.Config{Name: "game", TickRate: 10})
	assert.NotEqual(t, faster.Hash(), slower.Hash())
	assert.Equal(t, "setting tick rate is 20 on the server and 10 on the client", registry.Diff(registry.Of(faster).Entries, registry.Of(slower).Entries))

	other := protocol.New(protocol.Config{Name: "other", TickRate: 20})
	assert.Equal(t, "setting game name is game on the server and other on the client", registry.Diff(registry.Of(faster).Entries, registry.Of(other).Entries))
}

// An option that differs is named, with its value on either side.
//
// Proves: C16
func TestAnOptionThatDiffersIsNamedWithBothValues(t *testing.T) {
	make := func(register func(*protocol.Protocol)) []registry.Entry {
		p := protocol.New(protocol.Config{Name: "game"})
		register(p)
		require.NoError(t, p.Err())
		over, err := registry.ParseEntries(registry.AppendEntries(nil, registry.Of(p).Entries))
		require.NoError(t, err)
		return over
	}
	component := func(set func(*protocol.ComponentRule[pose])) []registry.Entry {
		return make(func(p *protocol.Protocol) { set(protocol.Component[pose](p)) })
	}
	message := func(set func(*protocol.Protocol, *protocol.MessageRule[hello])) []registry.Entry {
		return make(func(p *protocol.Protocol) {
			c := p.Channel(protocol.ChannelConfig{Name: "small talk"})
			set(p, protocol.Message[hello](p).Via(c))
		})
	}
	channel := func(c protocol.ChannelConfig) []registry.Entry {
		return make(func(p *protocol.Protocol) { c.Name = "news"; p.Channel(c) })
	}
	const poses, hellos = " in component github.com/entangle-ecs/entangle/protocol_test.pose", " in message github.com/entangle-ecs/entangle/protocol_test.hello"
	none := component(func(*protocol.ComponentRule[pose]) {})
	for _, c := range []struct {
		server, client []registry.Entry
		want           string
	}{
		{component(func(r *protocol.ComponentRule[pose]) { r.Predict(protocol.Full) }), none, "option Predict is Full on the server and Simple on the client" + poses},
		{component(func(r *protocol.ComponentRule[pose]) { r.Predict(protocol.Simple) }), none, ""},
		{
			none, component(func(r *protocol.ComponentRule[pose]) { r.Delta().Predict(protocol.Full) }),
			"option Predict is Simple on the server and Full on the client, " +
				"option Delta is not given on the server and given on the client" + poses,
		},
		{
			message(func(_ *protocol.Protocol, r *protocol.MessageRule[hello]) { r.Relay() }),
			message(func(*protocol.Protocol, *protocol.MessageRule[hello]) {}), "option Relay is given on the server and not given on the client" + hellos,
		},
		{
			message(func(*protocol.Protocol, *protocol.MessageRule[hello]) {}),
			message(func(_ *protocol.Protocol, r *protocol.MessageRule[hello]) { r.WhenShown() }), "option WhenShown is not given on the server and given on the client" + hellos,
		},
		{
			make(func(p *protocol.Protocol) { protocol.Message[hello](p).Mode(protocol.UnorderedReliable) }),
			make(func(p *protocol.Protocol) { protocol.Message[hello](p).Mode(protocol.SequencedReliable) }),
			"option Mode is UnorderedReliable on the server and SequencedReliable on the client" + hellos,
		},
		{
			channel(protocol.ChannelConfig{Mode: protocol.UnorderedUnreliable}), channel(protocol.ChannelConfig{}),
			"option Mode is UnorderedUnreliable on the server and OrderedReliable on the client in channel news",
		},
		{
			channel(protocol.ChannelConfig{Direction: protocol.ServerToClient}), channel(protocol.ChannelConfig{Mode: protocol.UnorderedReliable}),
			"option Direction is ServerToClient on the server and Bidirectional on the client, " +
				"option Mode is OrderedReliable on the server and UnorderedReliable on the client in channel news",
		},
		{
			make(func(p *protocol.Protocol) {
				protocol.Component[pose](p).Codec(poseCodec{version: "1"}).Predict(protocol.Full)
			}),
			make(func(p *protocol.Protocol) { protocol.Component[pose](p).Codec(poseCodec{version: "2"}) }),
			"fields, their order, types or tags, or the version of the codec differ, " +
				"option Predict is Full on the server and Simple on the client" + poses,
		},
		{
			make(func(p *protocol.Protocol) { protocol.Input[pose](p).Rebroadcast() }), make(func(p *protocol.Protocol) { protocol.Input[pose](p) }),
			"option Rebroadcast is given on the server and not given on the client in input github.com/entangle-ecs/entangle/protocol_test.pose",
		},
		{nil, slices.Repeat(none[len(none)-1:], 2), "component github.com/entangle-ecs/entangle/protocol_test.pose is registered only on the client"},
		{
			make(func(p *protocol.Protocol) { protocol.Component[pose](p).Codec(poseCodec{version: "1"}) }),
			make(func(p *protocol.Protocol) { protocol.Component[pose](p).Codec(poseCodec{version: "2"}) }),
			"fields, their order, types or tags, or the version of the codec differ" + poses,
		},
	} {
		assert.Equal(t, c.want, registry.Diff(c.server, c.client))
	}
}

func TestOptionsThatMustAgreeAreInTheHash(t *testing.T) {
	hash := func(set func(*protocol.ComponentRule[pose])) uint64 {
		p := protocol.New(protocol.Config{Name: "game"})
		set(protocol.Component[pose](p))
		require.NoError(t, p.Err())
		return p.Hash()
	}
	base := hash(func(*protocol.ComponentRule[pose]) {})
	agree := map[string]func(r *protocol.ComponentRule[pose]){
		"predict": func(r *protocol.ComponentRule[pose]) { r.Predict(protocol.Full) },
		"once":    func(r *protocol.ComponentRule[pose]) { r.ReplicateOnce() },
		"delta":   func(r *protocol.ComponentRule[pose]) { r.Delta() },
		"motion":  func(r *protocol.ComponentRule[pose]) { r.Delta().Motion() },
		"diff":    func(r *protocol.ComponentRule[pose]) { r.Delta().Diff(poseDiffer{}) },
		"codec":   func(r *protocol.ComponentRule[pose]) { r.Codec(poseCodec{version: "1"}) },
	}
	seen := map[uint64]string{base: "none"}
	for name, set := range agree {
		h := hash(set)
		assert.Empty(t, seen[h], name)
		seen[h] = name
	}
	assert.NotContains(t, seen, hash(func(r *protocol.ComponentRule[pose]) { r.Codec(poseCodec{version: "2"}) }))
	assert.Equal(t, base, hash(func(r *protocol.ComponentRule[pose]) { r.Interpolate(protocol.Linear) }), "each side's own affair")
}

type (
	v1 struct{ A, B uint8 }
	v2 struct {
		A uint8
		B uint8 `net:"range=0..9"`
	}
	v3 struct{ B, A uint8 }
	v4 struct {
		A uint8
		B int8
	}
	v5 struct {
		A uint8 `net:"event"`
		B uint8
	}
	v6 struct{ AB [2]uint8 }
)

func TestFieldsAndTagsAreInTheHash(t *testing.T) {
	hashes := map[string]bool{}
	add := func(p *wire.Plan, err error) {
		require.NoError(t, err)
		hashes[p.Description()] = true
	}
	add(wire.ComponentPlan[v1]())
	add(wire.ComponentPlan[v2]())
	add(wire.ComponentPlan[v3]())
	add(wire.ComponentPlan[v4]())
	add(wire.ComponentPlan[v5]())
	add(wire.ComponentPlan[v6]())
	assert.Len(t, hashes, 6)
}

func TestEntriesGoOverTheWire(t *testing.T) {
	entries := registry.Of(game()).Entries
	got, err := registry.ParseEntries(registry.AppendEntries([]byte{}, entries))
	require.NoError(t, err)
	assert.Equal(t, entries, got)
	wire := registry.AppendEntries([]byte("head"), entries)
	assert.Equal(t, "head", string(wire[:4]))
	for i := range len(wire) - 4 {
		_, err := registry.ParseEntries(wire[4 : 4+i])
		assert.Error(t, err)
	}
	_, err = registry.ParseEntries(append(wire[4:], 0))
	assert.Error(t, err)
}

// A list with a long length costs no memory.
func TestALongListIsRefusedBeforeItIsMade(t *testing.T) {
	var none []registry.Entry
	claim := registry.AppendEntries(nil, make([]registry.Entry, registry.MaxEntries))[:100]
	assert.LessOrEqual(t, testing.AllocsPerRun(10, func() { none, _ = registry.ParseEntries(claim) }), 1.0)
	assert.Empty(t, none)
}

// Proves: G8
func FuzzParseEntries(f *testing.F) {
	f.Add(registry.AppendEntries(nil, registry.Of(game()).Entries))
	f.Add([]byte{0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := registry.ParseEntries(data)
		if err != nil {
			return
		}
		require.Equal(t, data, registry.AppendEntries([]byte{}, entries))
		registry.Diff(entries, registry.Of(game()).Entries)
		registry.Diff(registry.Of(game()).Entries, entries)
	})
}

func TestStringListsWhatIsRegistered(t *testing.T) {
	text := game().String()
	for _, word := range []string{
		"game, 30 ticks per second", "protocol_test.pose", "80 bits", "predict Full", "rounded", "rebroadcast", "via chat", "relay",
		"pingQ -> ", "rollback", "not sent", "channel", "UnorderedReliable",
	} {
		assert.Contains(t, text, word)
	}
}

// Proves: N14
func TestWhenShownIsPartOfTheProtocol(t *testing.T) {
	p := protocol.New(protocol.Config{Name: "game"})
	protocol.Message[hello](p).WhenShown()
	require.NoError(t, p.Err())
	assert.True(t, registry.Of(p).Messages[0].WhenShown)
	assert.Contains(t, p.String(), "when shown")
	other := protocol.New(protocol.Config{Name: "game"})
	protocol.Message[hello](other)
	assert.NotEqual(t, p.Hash(), other.Hash())
}

// The component names that a peer sends are logged, so they must not contain line breaks.
func TestEntriesWithControlCharactersAreRefused(t *testing.T) {
	for name, ok := range map[string]bool{"game.Ball": true, "game.Ball\nadmin logged in": false, "game.\x1b[2J": false} {
		_, err := registry.ParseEntries(registry.AppendEntries(nil, []registry.Entry{{Kind: registry.KindComponent, Name: name}}))
		assert.Equal(t, ok, err == nil, "%q", name)
		for _, o := range []registry.Option{{Name: name}, {Value: name}} {
			_, err := registry.ParseEntries(registry.AppendEntries(nil, []registry.Entry{{Options: []registry.Option{o}}}))
			assert.Equal(t, ok, err == nil, "option %q", name)
		}
	}
}

func TestAnEntryHasFewOptions(t *testing.T) {
	for n, ok := range map[int]bool{16: true, 17: false} {
		_, err := registry.ParseEntries(registry.AppendEntries(nil, []registry.Entry{{Options: make([]registry.Option, n)}}))
		assert.Equal(t, ok, err == nil, "%d options", n)
	}
}
