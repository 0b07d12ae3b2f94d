package plugin_test

import (
	"encoding/binary"
	"fmt"
	"testing"
	"unsafe"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// thick is a message of few bytes that takes long to decode.
type thick struct {
	Flags []bool `net:"max=3000"`
	Names []string
}

// Everything that a client sends is charged in the units that ServerConfig.MaxWorkPerClient
// documents.
//
// Proves: Z21
func TestWhatAClientSendsCostsItsUnits(t *testing.T) {
	p := func() *protocol.Protocol {
		p := protocol.New(protocol.Config{Name: "plugin test"})
		protocol.Component[spot](p)
		protocol.Message[swarm](p)
		protocol.Message[thick](p)
		protocol.Request[sum, total](p)
		return p
	}
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = p() }, func(s *plugin.Server) {
		s.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
			plugin.HandleRequest(w, func(entangle.ClientID, sum) (total, error) { return total{}, nil })
			read := plugin.NewReader[plugin.MessageReceived[thick]](w)
			return func() { read.Read() }
		}))
	})
	i := g.infiltrate(100)
	hello := binary.LittleEndian.AppendUint64([]byte{1}, p().Hash())
	i.say(peer.Control, binary.LittleEndian.AppendUint64(hello, 0))
	g.run(2)
	for range 60 {
		i.acknowledge()
		g.run(1)
	}
	costs := func(what func()) int {
		before := g.server.Stats().Work
		what()
		g.run(1)
		return int(g.server.Stats().Work - before)
	}
	about := func(known, none int) []byte {
		var w bits.Writer
		w.Uvarint(0)
		w.Uvarint(uint64(known + none))
		for n := range known + none {
			w.Bool(n < known)
			if n < known {
				repl.AppendRef(&w, repl.Ref{ID: repl.ID{Group: repl.Handle(n % 8)}, Yours: true})
			}
		}
		w.Uvarint(0)
		return w.Finish()
	}
	var request bits.Writer
	request.Uvarint(0)
	request.Bits(1, 32)
	request.Bits(0, 8) // two numbers
	const packet, message = 25, 2
	assert.Zero(t, costs(func() {}))
	assert.Equal(t, packet, costs(func() { i.send(i.header()) }))
	assert.Equal(t, 3*packet, costs(func() { i.send(i.header()); i.send(i.header()); i.send(i.header()) }))
	assert.Equal(t, packet+message, costs(func() { i.say(peer.FirstMessages, about(0, 0)) }))
	assert.Equal(t, packet+message+60, costs(func() { i.say(peer.FirstMessages, about(60, 0)) }), "each entity")
	assert.Equal(t, packet+message+10, costs(func() { i.say(peer.FirstMessages, about(0, 160)) }), "16 that are none")
	assert.Equal(t, packet+message+5, costs(func() { i.say(peer.Requests, request.Finish()) }))
	var dense bits.Writer
	dense.Uvarint(1)
	dense.Uvarint(3000)
	for range 3000 {
		dense.Bool(true)
	}
	dense.Uvarint(60)
	for range 60 {
		dense.Uvarint(1)
		dense.Raw([]byte{'x'})
	}
	larger := 3000 + 60*(int(unsafe.Sizeof(""))+1) + int(unsafe.Sizeof(thick{})) - (len(dense.Finish()) - 1)
	assert.Equal(t, packet+message+larger/8, costs(func() { i.say(peer.FirstMessages, dense.Finish()) }),
		"what its value takes in memory")
}

// Every kind of packet, and a frame on every built-in channel of a connection, has a price in this
// test or ends the connection. A new kind fails this test until it has a price.
//
// Proves: Z21
func TestEveryKindOfFrameHasAPrice(t *testing.T) {
	const ends = -1
	p := func() *protocol.Protocol {
		p := protocol.New(protocol.Config{Name: "plugin test"})
		protocol.Component[spot](p)
		protocol.Component[components.ControlledBy](p)
		protocol.Message[steer](p).Mode(protocol.OrderedReliable)
		protocol.Message[sum](p).Mode(protocol.UnorderedReliable)
		protocol.Message[total](p).Mode(protocol.SequencedReliable)
		protocol.Message[name](p).Mode(protocol.SequencedUnreliable)
		protocol.Message[spot](p).Mode(protocol.UnorderedUnreliable)
		protocol.Request[sum, total](p)
		protocol.Input[thrust](p)
		protocol.Input[glance](p)
		return p
	}
	number := func(mode protocol.Mode) uint64 {
		for i, m := range registry.Of(p()).Messages {
			if protocol.Mode(m.Mode) == mode {
				return uint64(i)
			}
		}
		panic("no message of a mode")
	}
	write := func(f func(w *bits.Writer)) []byte {
		var w bits.Writer
		f(&w)
		return w.Finish()
	}
	message := func(mode protocol.Mode, width uint) []byte {
		return write(func(w *bits.Writer) {
			w.Uvarint(number(mode))
			for range width / 8 {
				w.Bits(0, 8)
			}
		})
	}
	frames := map[channel.ID]struct {
		price int
		id    bool // its frames carry ids
		body  []byte
	}{
		peer.Control:   {ends, true, []byte{3, 0, 0, 0, 0}}, // only a server tells of groups
		peer.Actions:   {ends, true, []byte{0, 0, 0, 0, 0}},
		peer.Updates:   {ends, false, []byte{0}},
		peer.Resources: {ends, true, []byte{0, 0}},
		peer.Clock:     {1, false, []byte{7}},
		peer.Inputs:    {1 + 3, false, frameOf(forged{of: wireName(1), distance: 5})},
		peer.Requests: {1 + 1 + 5, true, write(func(w *bits.Writer) {
			w.Uvarint(0)
			w.Bits(1, 32)
			w.Bits(0, 8) // two numbers
		})},
		peer.FirstMessages + channel.ID(channel.OrderedReliable):     {1 + 1, true, message(protocol.OrderedReliable, 16)},
		peer.FirstMessages + channel.ID(channel.UnorderedReliable):   {1 + 1, true, message(protocol.UnorderedReliable, 64)},
		peer.FirstMessages + channel.ID(channel.SequencedReliable):   {1 + 1, true, message(protocol.SequencedReliable, 32)},
		peer.FirstMessages + channel.ID(channel.SequencedUnreliable): {1 + 1, true, message(protocol.SequencedUnreliable, 32)},
		peer.FirstMessages + channel.ID(channel.UnorderedUnreliable): {1 + 1, false, message(protocol.UnorderedUnreliable, 64)},
	}
	kinds := map[packet.Kind]int{packet.Data: 25, packet.AckOnly: 25, packet.Goodbye: ends}

	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = p() }, func(s *plugin.Server) {
		s.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
			plugin.HandleRequest(w, func(entangle.ClientID, sum) (total, error) { return total{}, nil })
			return func() {}
		}))
	})
	enter := func() *intruder {
		i := g.infiltrate(100)
		hello := binary.LittleEndian.AppendUint64([]byte{1}, p().Hash())
		i.say(peer.Control, binary.LittleEndian.AppendUint64(hello, 0))
		g.run(2)
		for range 60 {
			i.acknowledge()
			g.run(1)
		}
		return i
	}
	costs := func(price int, what string, send func(i *intruder)) {
		i := enter()
		before := g.server.Stats().Work
		send(i)
		g.run(1)
		work := int(g.server.Stats().Work - before)
		if price == ends {
			assert.False(t, g.here(100), what)
		} else {
			assert.True(t, g.here(100), what)
			assert.Equal(t, price, work, what)
		}
		g.server.Disconnect(100, "next, please")
		_ = i.conn.Close()
		g.run(1)
	}
	for ch := range peer.FirstUser {
		f, ok := frames[ch]
		require.True(t, ok, "what does a frame on channel %d cost a client?", ch)
		price := f.price
		if price != ends {
			price += 25
		}
		costs(price, fmt.Sprint("channel ", ch), func(i *intruder) {
			if f.id {
				i.say(ch, f.body)
				return
			}
			i.send(append(append(i.header(), byte(ch)|0x80), f.body...))
		})
	}
	for kind := packet.Data; ; kind++ {
		header := packet.AppendHeader(nil, packet.Header{Kind: kind, ID: 500, Tick: 1})
		if _, _, err := packet.ParseHeader(header); err != nil {
			break
		}
		price, ok := kinds[kind]
		require.True(t, ok, "what does a packet of kind %d cost a client?", kind)
		costs(price, fmt.Sprint("kind ", kind), func(i *intruder) { i.send(header) })
	}
}
