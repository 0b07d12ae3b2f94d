package sink

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/protocol"
)

// matching is a prediction with entities that the game has spawned ahead of the server.
type matching struct {
	*prophet
	ahead   map[uint32]ecs.Entity // by hash
	arrived []uint32              // hashes of entities that it had none for
	asked   int
}

func (m *matching) MatchPrespawned(hash uint32, _ entangle.Tick) (e ecs.Entity, ok bool) {
	m.asked++
	e, ok = m.ahead[hash]
	delete(m.ahead, hash)
	return e, ok
}

func (m *matching) PrespawnedArrived(_ ecs.Entity, _ rollback.Slot, hash uint32, _ entangle.Tick) {
	m.arrived = append(m.arrived, hash)
}

// matched is a pair with such a prediction.
type matched struct {
	*pair
	by *matching
}

func newMatched(t *testing.T) *matched {
	p := protocol.New(protocol.Config{Name: "ahead"})
	protocol.Component[aheadPlace](p).Predict(protocol.Full)
	protocol.Component[aheadAim](p).Predict(protocol.Full)
	protocol.Component[aheadKnows](p).Predict(protocol.Full)
	protocol.Component[aheadSkin](p).Predict(protocol.Once)
	protocol.Component[aheadGrip](p).Predict(protocol.Once)
	protocol.Component[aheadLook](p).Predict(protocol.None)
	protocol.Component[components.Prespawned](p)
	require.NoError(t, registry.Seal(p))
	m := &matched{pair: newPairOf(t, registry.Of(p).Components)}
	m.by = &matching{prophet: m.pair.by, ahead: map[uint32]ecs.Entity{}}
	m.applier.PredictBy(m.by)
	return m
}

// ahead makes the game spawn an entity with a hash, at the client.
func (m *matched) ahead(hash uint32) ecs.Entity {
	w := m.far
	e := w.NewEntity(append(m.by.Marks(), idIn[aheadPlace](w), idIn[aheadSkin](w), idIn[components.Prespawned](w))...)
	value[aheadPlace](w, e).X, value[aheadSkin](w, e).N = 9, 9
	m.by.Track(e)
	m.by.ahead[hash] = e
	return e
}

// spawn spawns an entity with a hash at the server. It refers to itself.
func (m *matched) spawn(hash uint32, more ...ecs.ID) ecs.Entity {
	w := m.world
	e := m.pair.spawn(append(more, idIn[aheadPlace](w), idIn[aheadSkin](w), idIn[aheadGrip](w), idIn[aheadAim](w), idIn[components.Prespawned](w))...)
	value[aheadPlace](w, e).X, value[aheadSkin](w, e).N = 1, 1
	value[aheadAim](w, e).At, value[aheadGrip](w, e).Of = e, e
	value[components.Prespawned](w, e).Hash = hash
	(*components.Replicate)(w.Get(e, m.marker)).Predict = components.Everyone // or the hash is hidden
	return e
}

// entities returns the number of entities at the client.
func (m *matched) entities() int {
	q := m.far.Query(ecs.All())
	defer q.Close()
	return q.Count()
}

// An entity of the server is the one that the game has spawned with its hash, in references of its record, too. What
// that has stays the game's, also in later records, and it gets the components that it lacks.
//
// Proves: E2
func TestAMatchedEntityIsTheGames(t *testing.T) {
	m := newMatched(t)
	is, others := m.ahead(7), m.entities()
	e, other := m.spawn(7), m.pair.spawn(idIn[aheadAim](m.world), idIn[aheadKnows](m.world))
	m.world.Relations().Set(other, idIn[aheadKnows](m.world), e)
	(*components.Replicate)(m.world.Get(e, m.marker)).Group = 1 // they arrive in one record
	(*components.Replicate)(m.world.Get(other, m.marker)).Group = 1
	value[aheadAim](m.world, other).At = e
	m.send()
	require.Equal(t, is, m.there(e))
	assert.Equal(t, others+1, m.entities(), "one more has arrived")
	assert.Equal(t, aheadPlace{X: 9}, *value[aheadPlace](m.far, is))
	assert.Equal(t, aheadPlace{X: 1}, *confirmedOf[aheadPlace](m.pair, is))
	assert.Equal(t, aheadSkin{9}, *value[aheadSkin](m.far, is))
	assert.Equal(t, aheadSkin{1}, *confirmedOf[aheadSkin](m.pair, is))
	assert.Equal(t, aheadGrip{is}, *value[aheadGrip](m.far, is), "the game's has none yet")
	assert.Equal(t, aheadAim{is}, *confirmedOf[aheadAim](m.pair, is))
	assert.Equal(t, aheadAim{is}, *confirmedOf[aheadAim](m.pair, m.there(other)))
	assert.Equal(t, is, m.far.Relations().Get(m.there(other), idIn[aheadKnows](m.far)))
	assert.Empty(t, m.by.arrived)
	assert.Equal(t, 2, m.applier.Replicas.Len())
	assert.Empty(t, m.applier.prespawns.matched, "nothing is kept of a record")

	value[aheadSkin](m.world, e).N = 2
	m.send()
	assert.Equal(t, aheadSkin{9}, *value[aheadSkin](m.far, is))
	assert.Equal(t, aheadSkin{2}, *confirmedOf[aheadSkin](m.pair, is))
}

// Components of a matched entity that the game has despawned since stay as they were when they were taken off.
//
// Proves: E5
func TestAMatchedEntityThatIsDespawnedKeepsItsComponents(t *testing.T) {
	m := newMatched(t)
	is := m.ahead(7)
	slot := m.by.slots[is]
	m.far.Remove(is, idIn[aheadPlace](m.far), idIn[aheadSkin](m.far), idIn[components.Prespawned](m.far))
	m.by.disabled[slot] = true
	e := m.spawn(7)
	m.send()
	require.Equal(t, is, m.there(e))
	assert.Empty(t, m.by.inserted)
	assert.False(t, has[aheadSkin](m.pair, is))
	assert.Equal(t, aheadSkin{1}, *confirmedOf[aheadSkin](m.pair, is))
}

// Only entities that this client predicts are matched, and only when they appear. Those without a match are
// reported with their hash.
//
// Proves: E2, E3
func TestOnlyPredictedEntitiesAreMatched(t *testing.T) {
	m := newMatched(t)
	m.ahead(7)
	m.sink.wants = func(repl.ID) bool { return false }
	e := m.spawn(7)
	m.send()
	assert.Zero(t, m.by.asked)
	assert.Len(t, m.by.ahead, 1)
	m.say(e, true)
	value[components.Prespawned](m.world, e).Hash = 8
	m.send()
	assert.Zero(t, m.by.asked)

	m.sink.wants = func(repl.ID) bool { return true }
	m.spawn(5)
	m.spawn(0)
	m.send()
	assert.Equal(t, []uint32{5}, m.by.arrived)
}

// When the prediction of an entity ends that was matched or predicted since it appeared, its values are written into
// the world as they arrive.
//
// Proves: E2
func TestPredictionOfAMatchedEntityEnds(t *testing.T) {
	m := newMatched(t)
	m.ahead(7)
	for _, hash := range []uint32{7, 0} {
		e := m.spawn(hash, idIn[aheadLook](m.world))
		m.send()
		assert.False(t, has[aheadLook](m.pair, m.there(e)), "the game's alone, as long as it is predicted")
		m.say(e, false)
		value[aheadLook](m.world, e).Of[1] = e
		value[aheadPlace](m.world, e).X = 5
		value[aheadSkin](m.world, e).N = 5
		m.send()
		assert.Equal(t, aheadPlace{X: 5}, *value[aheadPlace](m.far, m.there(e)), "hash %d", hash)
		assert.Equal(t, aheadSkin{5}, *value[aheadSkin](m.far, m.there(e)), "hash %d", hash)
		assert.Equal(t, aheadLook{[2]ecs.Entity{{}, m.there(e)}}, *value[aheadLook](m.far, m.there(e)), "hash %d", hash)
		assert.True(t, has[components.Remote](m.pair, m.there(e)))
	}
}

// References to an entity that was hidden, and is shown again as one that the game has spawned, are set to that.
//
// Proves: E2, E6
func TestAMatchedEntityReturns(t *testing.T) {
	m := newMatched(t)
	e, holder := m.spawn(5), m.pair.spawn(idIn[aheadAim](m.world))
	(*components.Replicate)(m.world.Get(e, m.marker)).Relevance = components.ByInterest
	value[aheadAim](m.world, holder).At = e
	show := func() {
		require.NoError(t, m.collector.Observe(m.tick))
		s, ok := m.collector.Slot(e)
		require.True(t, ok)
		require.True(t, m.peer.Show(s))
		m.send()
		m.applier.ResolveReturns()
	}
	show()
	was := m.there(e)
	require.False(t, was.IsZero())
	require.Equal(t, aheadAim{was}, *confirmedOf[aheadAim](m.pair, m.there(holder)))
	s, _ := m.collector.Slot(e)
	m.peer.Hide(s)
	m.send()
	require.Equal(t, []ecs.Entity{was}, m.by.departed)
	m.applier.RemoveDespawned(was)
	require.False(t, m.far.Alive(was))
	is := m.ahead(5)
	show()
	require.Equal(t, is, m.there(e))
	assert.Equal(t, aheadAim{is}, *confirmedOf[aheadAim](m.pair, m.there(holder)))
}
