package message

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// A value that refers to a despawned entity, and to an entity that reuses its index in the world,
// refers to two entities: the first reference never resolves to the second entity.
func TestAnEntityIsNotTheOneThatHadItsPlace(t *testing.T) {
	w := ecs.NewWorld()
	ended := w.NewEntity()
	w.RemoveEntity(ended)
	lives := w.NewEntity()
	require.Equal(t, ended.ID(), lives.ID(), "Arche gives the place again")
	var table entityTable
	for _, e := range []ecs.Entity{ended, lives} {
		got, ok := table.At(table.Index(e))
		assert.True(t, ok)
		assert.Equal(t, e, got)
	}
}

// A message that waits for an entity, or behind such a message, costs as much as any other. The cost
// counts when the message arrives.
//
// Proves: Z21
func TestAMessageThatWaitsIsCharged(t *testing.T) {
	d := newDesk(t, false)
	for n := range 3 {
		before := d.mail.Work()
		d.get(d.word("waits", 2))
		assert.GreaterOrEqual(t, d.mail.Work()-before, uint64(messageWork), "message %d", n)
	}
	require.Empty(t, d.words)
}

// A relayed message costs work for each recipient, and for the bytes that each of them is sent,
// including those of the referenced entities.
//
// Proves: Z21
func TestWhatIsPassedOnCostsForItsEntities(t *testing.T) {
	d := newDesk(t, true)
	body := make([]byte, copyBytesPerUnit)
	costs := func(clients, bytes, entities int) int {
		before := d.mail.Work()
		var r bits.Reader
		r.Reset(body)
		to := audience{ids: make([]entangle.ClientID, clients)}
		d.mail.relay(Outgoing{Number: 1, From: 1, Ids: to, width: bytes * 8}, r, make([]ecs.Entity, entities))
		return int(d.mail.Work() - before)
	}
	assert.Equal(t, copyWork, costs(1, copyBytesPerUnit-1, 0))
	assert.Equal(t, copyWork+1, costs(1, copyBytesPerUnit, 0))
	assert.Equal(t, copyWork+1, costs(1, 0, copyBytesPerUnit/8))
	assert.Equal(t, 3*(copyWork+2), costs(3, copyBytesPerUnit, copyBytesPerUnit/8))
	assert.Equal(t, 3*copyWork, costs(3, 0, 0))
}
