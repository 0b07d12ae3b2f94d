package plugin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// A message that names a client more than once, as no honest client sends it, reaches that client
// once, and also the other clients that it names. A client that is not connected is skipped.
//
// Proves: P18
func TestAClientThatIsNamedTwiceGetsAMessageOnce(t *testing.T) {
	p := newParty(t)
	i := p.enter(100)
	p.run(5)
	for _, e := range p.guests {
		e.heard = nil
	}
	var w bits.Writer
	ids := []entangle.ClientID{2, 77, 2, 1, 2, 1}
	w.Uvarint(0)
	w.Bool(false)
	w.Uvarint(uint64(len(ids)))
	for _, id := range ids {
		w.Bits(uint64(id), 64)
	}
	w.Uvarint(0) // no entities
	w.Uvarint(2)
	w.Raw([]byte("hi"))
	w.Uvarint(0)
	i.say(peer.FirstMessages, w.Finish())
	p.run(10)
	assert.Equal(t, []string{"hi"}, p.guests[0].texts())
	assert.Equal(t, []string{"hi"}, p.guests[1].texts())
	assert.Empty(t, p.guests[2].texts())
}
