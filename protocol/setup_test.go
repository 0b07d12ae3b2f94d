package protocol_test

import (
	"testing"
	"time"
	"unsafe"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// mistake is a mistake that a game can make at set-up. Err reports it as one error of one kind,
// with a sentence that contains the given words.
type mistake struct {
	name  string
	make  func(p *protocol.Protocol)
	kind  error
	words []string
}

func check(t *testing.T, cases []mistake) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := protocol.New(protocol.Config{Name: "game"})
			c.make(p)
			err := p.Err()
			require.ErrorIs(t, err, c.kind)
			var many interface{ Unwrap() []error }
			require.ErrorAs(t, err, &many)
			assert.Len(t, many.Unwrap(), 1, "%v", err)
			var setup *protocol.SetupError
			require.ErrorAs(t, err, &setup)
			for _, word := range c.words {
				assert.ErrorContains(t, err, word)
			}
		})
	}
}

type (
	withString    struct{ Name string }
	withSlice     struct{ In struct{ Items []int } }
	withMap       struct{ M map[int]int }
	withPointer   struct{ P [2]*int }
	withInterface struct{ V any }
	withChan      struct{ C chan int }
	withFunc      struct{ F func() }
	withUnsafe    struct{ P unsafe.Pointer }
	withUintptr   struct{ A uintptr }
	hiddenPointer struct {
		S string `net:"-"`
	}
	withEntity struct{ Other ecs.Entity }
)

// Proves: G6
func TestComponentsWithPointersAreRefused(t *testing.T) {
	check(t, []mistake{
		{"string", register[withString], protocol.ErrType, []string{"withString", "field Name", "string", "Arche", "raw bytes", "components.Text32"}},
		{"slice", register[withSlice], protocol.ErrType, []string{"field In.Items", "[]int", "fixed array"}},
		{"map", register[withMap], protocol.ErrType, []string{"field M", "map[int]int"}},
		{"pointer", register[withPointer], protocol.ErrType, []string{"field P[]", "*int", "ecs.Entity instead"}},
		{"interface", register[withInterface], protocol.ErrType, []string{"field V", "interface"}},
		{"chan", register[withChan], protocol.ErrType, []string{"field C"}},
		{"func", register[withFunc], protocol.ErrType, []string{"field F"}},
		{"unsafe", register[withUnsafe], protocol.ErrType, []string{"field P"}},
		{"not sent either", register[hiddenPointer], protocol.ErrType, []string{"field S"}},
		{"uintptr", register[withUintptr], protocol.ErrType, []string{"field A", "uint64"}},
		{"input", func(p *protocol.Protocol) { protocol.Input[withString](p) }, protocol.ErrType, []string{"input", "Arche"}},
		{"local", func(p *protocol.Protocol) { protocol.Local[withString](p) }, protocol.ErrType, []string{"local component", "Arche"}},
		{"despite a codec", func(p *protocol.Protocol) { protocol.Component[withString](p).Codec(stringCodec{}) }, protocol.ErrType, []string{"Arche"}},
		{"rolled back resource", func(p *protocol.Protocol) { protocol.Resource[withString](p).Rollback() }, protocol.ErrOptions, []string{"field Name"}},
	})
}

func register[T any](p *protocol.Protocol) { protocol.Component[T](p) }

type stringCodec struct{}

func (stringCodec) Encode(*bits.Writer, *withString)       {}
func (stringCodec) Decode(*bits.Reader, *withString) error { return nil }
func (stringCodec) Version() string                        { return "1" }

func TestBadTagsAreRefused(t *testing.T) {
	check(t, []mistake{
		{"unknown option", register[struct {
			A int8 `net:"rnage=0..1"`
		}], protocol.ErrTag, []string{"field A", "rnage=0..1", "range=low..high"}},
		{"half a range", register[struct {
			A int8 `net:"range=3"`
		}], protocol.ErrTag, []string{"range=low..high"}},
		{"empty range", register[struct {
			A int8 `net:"range=3..3"`
		}], protocol.ErrTag, []string{"empty"}},
		{"upside down", register[struct {
			A float32 `net:"range=3..-3,step=1"`
		}], protocol.ErrTag, []string{"empty"}},
		{"range beyond the type", register[struct {
			A int8 `net:"range=0..200"`
		}], protocol.ErrTag, []string{"fit 8 bits"}},
		{"int range beyond 32 bits", register[struct {
			A int `net:"range=0..5000000000"`
		}], protocol.ErrTag, []string{"fit 32 bits"}},
		{"negative unsigned", register[struct {
			A uint8 `net:"range=-1..2"`
		}], protocol.ErrTag, []string{"fit 8 bits"}},
		{"step on an integer", register[struct {
			A int8 `net:"range=0..10,step=2"`
		}], protocol.ErrTag, []string{"integers go by 1"}},
		{"float without step", register[struct {
			A float32 `net:"range=0..10"`
		}], protocol.ErrTag, []string{"step="}},
		{"step without range", register[struct {
			A float32 `net:"step=1"`
		}], protocol.ErrTag, []string{"range=low..high"}},
		{"no step at all", register[struct {
			A float32 `net:"range=0..1,step=0"`
		}], protocol.ErrTag, []string{"above 0"}},
		{"step too long", register[struct {
			A float32 `net:"range=0..1,step=2"`
		}], protocol.ErrTag, []string{"no longer than the range"}},
		{"step finer than the float", register[struct {
			A float32 `net:"range=0..1e6,step=0.001"`
		}], protocol.ErrTag, []string{"finer than a float32", "0.12"}},
		{"too many steps", register[struct {
			A float64 `net:"range=0..1,step=1e-14"`
		}], protocol.ErrTag, []string{"2^44"}},
		{"not a number", register[struct {
			A float64 `net:"range=0..NaN,step=1"`
		}], protocol.ErrTag, []string{"empty"}},
		{"angle of an integer", register[struct {
			A int32 `net:"angle"`
		}], protocol.ErrTag, []string{"floats"}},
		{"angle with range", register[struct {
			A float32 `net:"angle,range=0..1"`
		}], protocol.ErrTag, []string{"range of their own"}},
		{"angle too fine", register[struct {
			A float32 `net:"angle,bits=30"`
		}], protocol.ErrTag, []string{"float32"}},
		{"angle twice over", register[struct {
			A float32 `net:"angle,bits=8,step=0.1"`
		}], protocol.ErrTag, []string{"not both"}},
		{"quat of three", register[struct {
			A [3]float32 `net:"quat"`
		}], protocol.ErrTag, []string{"[4]float32"}},
		{"quat too wide", register[struct {
			A [4]float32 `net:"quat,bits=17"`
		}], protocol.ErrTag, []string{"3 to 16"}},
		{"quat and angle", register[struct {
			A [4]float32 `net:"quat,angle"`
		}], protocol.ErrTag, []string{"not both"}},
		{"bits of an integer", register[struct {
			A int32 `net:"bits=4"`
		}], protocol.ErrTag, []string{"range="}},
		{"skipped and more", register[struct {
			A int32 `net:"-,event"`
		}], protocol.ErrTag, []string{"stands alone"}},
		{"twice", register[struct {
			A int32 `net:"range=0..1,range=0..2"`
		}], protocol.ErrTag, []string{"twice"}},
		{"on what has no numbers", register[struct {
			A bool `net:"range=0..1"`
		}], protocol.ErrTag, []string{"fits nothing"}},
		{"max of a number", register[struct {
			A int32 `net:"max=3"`
		}], protocol.ErrTag, []string{"fits nothing"}},
		{"max of nothing", func(p *protocol.Protocol) {
			protocol.Message[struct {
				A string `net:"max=0"`
			}](p)
		}, protocol.ErrTag, []string{"whole number from 1"}},
	})
}

type (
	tree     struct{ Children []tree }
	hollow   struct{ List []struct{} }
	withMaps struct{ Scores map[string]int }
)

func TestMessagesThatThePlanDoesNotCoverAreRefused(t *testing.T) {
	message := func(p *protocol.Protocol) { protocol.Message[withMaps](p) }
	check(t, []mistake{
		{"map", message, protocol.ErrType, []string{"field Scores", "map[string]int", "protocol/kelindar"}},
		{"pointer", func(p *protocol.Protocol) { protocol.Message[withPointer](p) }, protocol.ErrType, []string{"protocol/kelindar"}},
		{"a type in itself", func(p *protocol.Protocol) { protocol.Message[tree](p) }, protocol.ErrType, []string{"contains itself"}},
		{"nothing many times", func(p *protocol.Protocol) { protocol.Message[hollow](p) }, protocol.ErrType, []string{"carry nothing"}},
		{"answer", func(p *protocol.Protocol) { protocol.Request[plain, withMaps](p) }, protocol.ErrType, []string{"field Scores"}},
	})
}

type entityCodec struct{}

func (entityCodec) Encode(*bits.Writer, *withEntity)       {}
func (entityCodec) Decode(*bits.Reader, *withEntity) error { return nil }
func (entityCodec) Version() string                        { return "1" }

// Proves: G7
func TestSetUpMistakesAreClear(t *testing.T) {
	none := time.Duration(0)
	far := func(a, b pose) bool { return false }
	check(t, []mistake{
		{"twice", func(p *protocol.Protocol) { register[plain](p); register[plain](p) }, protocol.ErrTwice, []string{"component", "plain", "twice"}},
		{"message twice", func(p *protocol.Protocol) { protocol.Message[plain](p); protocol.Message[plain](p) }, protocol.ErrTwice, []string{"message"}},
		{"too late", func(p *protocol.Protocol) { _ = registry.Seal(p); register[plain](p) }, protocol.ErrSealed, []string{"plain", "before you make a server or client"}},
		{"option too late", func(p *protocol.Protocol) {
			r := protocol.Component[plain](p)
			_ = registry.Seal(p)
			r.ReplicateOnce()
		}, protocol.ErrSealed, []string{"ReplicateOnce"}},
		{"channel too late", func(p *protocol.Protocol) { _ = registry.Seal(p); p.Channel(protocol.ChannelConfig{Name: "a"}) }, protocol.ErrSealed, []string{"channel a"}},
		{"component and unsent", func(p *protocol.Protocol) { register[plain](p); protocol.Unsent[plain](p) }, protocol.ErrOptions, []string{"already registered as component"}},
		{"unsent and component", func(p *protocol.Protocol) { protocol.Unsent[plain](p); register[plain](p) }, protocol.ErrOptions, []string{"already registered as unsent component"}},
		{"unsent twice", func(p *protocol.Protocol) { protocol.Unsent[plain](p); protocol.Unsent[plain](p) }, protocol.ErrTwice, []string{"unsent component", "plain"}},
		{"component and local", func(p *protocol.Protocol) { register[plain](p); protocol.Local[plain](p) }, protocol.ErrOptions, []string{"already registered as component"}},
		{"component and input", func(p *protocol.Protocol) { protocol.Input[plain](p); register[plain](p) }, protocol.ErrOptions, []string{"already registered as input"}},
		{"option twice", func(p *protocol.Protocol) { protocol.Component[pose](p).Predict(protocol.Full).Predict(protocol.Once) }, protocol.ErrTwice, []string{"Predict is given twice"}},
		{"once and delta", func(p *protocol.Protocol) { protocol.Component[pose](p).ReplicateOnce().Delta() }, protocol.ErrOptions, []string{"ReplicateOnce", "Delta"}},
		{"motion without delta", func(p *protocol.Protocol) { protocol.Component[pose](p).Motion() }, protocol.ErrOptions, []string{"Motion is given without Delta"}},
		{"diff without delta", func(p *protocol.Protocol) { protocol.Component[tally](p).Diff(tallyDiffer{}) }, protocol.ErrOptions, []string{"Diff is given without Delta"}},
		{"motion and diff", func(p *protocol.Protocol) { protocol.Component[tally](p).Delta().Motion().Diff(tallyDiffer{}) }, protocol.ErrOptions, []string{"Diff replaces"}},
		{"no differ", func(p *protocol.Protocol) { protocol.Component[tally](p).Delta().Diff(nil) }, protocol.ErrOptions, []string{"Diff(nil)"}},
		{"diff of entities", func(p *protocol.Protocol) { protocol.Component[withEntity](p).Delta().Diff(entityDiffer{}) }, protocol.ErrOptions, []string{"field Other"}},
		{"once and predicted", func(p *protocol.Protocol) { protocol.Component[pose](p).ReplicateOnce().Predict(protocol.Full) }, protocol.ErrOptions, []string{"Predict(Once)"}},
		{"no function", func(p *protocol.Protocol) { protocol.Component[pose](p).Interpolate(nil) }, protocol.ErrOptions, []string{"protocol.Linear"}},
		{"tolerance without rollback", func(p *protocol.Protocol) { protocol.Component[pose](p).Tolerance(far) }, protocol.ErrOptions, []string{"Predict(Full)"}},
		{"correct without rollback", func(p *protocol.Protocol) {
			protocol.Component[pose](p).Interpolate(protocol.Linear).Correct(time.Second)
		}, protocol.ErrOptions, []string{"Predict(Full)"}},
		{"correct without blend", func(p *protocol.Protocol) {
			protocol.Component[pose](p).Predict(protocol.Full).Correct(time.Second)
		}, protocol.ErrOptions, []string{"Interpolate"}},
		{"correct in no time", func(p *protocol.Protocol) {
			protocol.Component[pose](p).Predict(protocol.Full).Interpolate(protocol.Linear).Correct(none)
		}, protocol.ErrOptions, []string{"above 0"}},
		{"snap without blend", func(p *protocol.Protocol) { protocol.Component[pose](p).Snap(far) }, protocol.ErrOptions, []string{"Interpolate"}},
		{"unknown mode", func(p *protocol.Protocol) { protocol.Component[pose](p).Predict(9) }, protocol.ErrOptions, []string{"Simple, Full, Once and None"}},
		{"codec without entities", func(p *protocol.Protocol) { protocol.Component[withEntity](p).Codec(entityCodec{}) }, protocol.ErrOptions, []string{"field Other", "EncodeRefs"}},
		{"mode and channel", func(p *protocol.Protocol) {
			c := p.Channel(protocol.ChannelConfig{Name: "chat"})
			protocol.Message[plain](p).Via(c).Mode(protocol.UnorderedReliable)
		}, protocol.ErrOptions, []string{"both choose a channel"}},
		{"channel of nobody", func(p *protocol.Protocol) { protocol.Message[plain](p).Via(protocol.Channel{}) }, protocol.ErrOptions, []string{"Channel of this protocol"}},
		{"wider than its channel", func(p *protocol.Protocol) {
			c := p.Channel(protocol.ChannelConfig{Name: "news", Direction: protocol.ServerToClient})
			protocol.Message[plain](p).Via(c).Direction(protocol.Bidirectional)
		}, protocol.ErrOptions, []string{"make the channel wider"}},
		{"relay one way", func(p *protocol.Protocol) { protocol.Message[plain](p).Direction(protocol.ClientToServer).Relay() }, protocol.ErrOptions, []string{"Bidirectional"}},
		{"shown on the server", func(p *protocol.Protocol) {
			protocol.Message[plain](p).Direction(protocol.ClientToServer).WhenShown()
		}, protocol.ErrOptions, []string{"that a client receives"}},
		{"unknown message mode", func(p *protocol.Protocol) { protocol.Message[plain](p).Mode(7) }, protocol.ErrOptions, []string{"five modes"}},
		{"message with no priority", func(p *protocol.Protocol) { protocol.Message[plain](p).Priority(0) }, protocol.ErrOptions, []string{"Priority(0)", "above 0"}},
		{"message with too high a priority", func(p *protocol.Protocol) { protocol.Message[plain](p).Priority(1e10) }, protocol.ErrOptions, []string{"at most 1e9"}},
		{"channel without name", func(p *protocol.Protocol) { p.Channel(protocol.ChannelConfig{}) }, protocol.ErrConfig, []string{"ChannelConfig.Name"}},
		{"channel twice", func(p *protocol.Protocol) {
			p.Channel(protocol.ChannelConfig{Name: "a"})
			p.Channel(protocol.ChannelConfig{Name: "a"})
		}, protocol.ErrTwice, []string{"channel a"}},
		{"channel with a priority below 0", func(p *protocol.Protocol) {
			p.Channel(protocol.ChannelConfig{Name: "a", Priority: -1})
		}, protocol.ErrConfig, []string{"ChannelConfig.Priority"}},
	})
}

func TestConfigIsChecked(t *testing.T) {
	assert.ErrorContains(t, protocol.New(protocol.Config{}).Err(), "Config.Name")
	assert.ErrorContains(t, protocol.New(protocol.Config{Name: "a", TickRate: -1}).Err(), "Config.TickRate")
	assert.ErrorContains(t, protocol.New(protocol.Config{Name: "a", TickRate: 5000}).Err(), "Config.TickRate")
	p := protocol.New(protocol.Config{Name: "a"})
	assert.NoError(t, p.Err())
	assert.Equal(t, 60, p.TickRate())
	assert.Equal(t, "a", p.Name())
}

// If a mistake is repaired before the protocol is sealed, Err no longer reports it.
func TestErrFollowsWhatIsRegistered(t *testing.T) {
	p := protocol.New(protocol.Config{Name: "a"})
	r := protocol.Component[pose](p).Tolerance(func(a, b pose) bool { return a == b })
	require.Error(t, p.Err())
	r.Predict(protocol.Full)
	require.NoError(t, p.Err())
	require.NoError(t, registry.Seal(p))
}
