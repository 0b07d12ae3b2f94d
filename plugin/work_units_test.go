package plugin_test

import (
	"encoding/binary"
	"testing"
	"unsafe"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// thick is a message of few bytes that takes long to decode.
type thick struct {
	Flags []bool `net:"max=3000"`
	Names []string
}

// What a client sends costs it the units that ServerConfig.MaxWorkPerClient names.
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
		s.AddSystem(plugin.Receive, plugin.Func(func(w *ecs.World) func() {
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
		w.Bits(1<<20, 32)
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
	request.Bits(0, 64)
	const packet, message = 25, 1
	assert.Zero(t, costs(func() {}))
	assert.Equal(t, packet, costs(func() { i.send(i.header()) }))
	assert.Equal(t, 3*packet, costs(func() { i.send(i.header()); i.send(i.header()); i.send(i.header()) }))
	assert.Equal(t, packet+message, costs(func() { i.say(peer.FirstMessages, about(0, 0)) }))
	assert.Equal(t, packet+message+60, costs(func() { i.say(peer.FirstMessages, about(60, 0)) }), "each entity")
	assert.Equal(t, packet+message+10, costs(func() { i.say(peer.FirstMessages, about(0, 160)) }), "16 that are none")
	assert.Equal(t, packet+message+6, costs(func() { i.say(peer.Requests, request.Finish()) }))
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
	assert.Equal(t, packet+message+larger/16, costs(func() { i.say(peer.FirstMessages, dense.Finish()) }),
		"what its value takes in memory")
}
