package netsim

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
)

// groupModel is a history made by chance, and a client as it should be: it takes
// groups whole, at ticks of their own, each after what its members have left.
type groupModel struct {
	*history
	rng   *rand.Rand
	now   entangle.Tick
	shown map[ecs.Entity]entangle.Tick
	held  map[components.Group]entangle.Tick
	torn  bool // it takes groups in part
}

func newGroupModel(seed uint64) *groupModel {
	m := &groupModel{
		history: newHistory(), rng: rand.New(rand.NewPCG(seed, 0)), now: 1,
		shown: map[ecs.Entity]entangle.Tick{}, held: map[components.Group]entangle.Tick{},
	}
	for i := range m.entities {
		m.is(m.now, i, m.group(), 0)
	}
	return m
}

func (m *groupModel) group() components.Group { return components.Group(1 + m.rng.IntN(3)) }

// tick lets something happen to every entity.
func (m *groupModel) tick() {
	m.now++
	for i, e := range m.entities {
		is := m.at(e, m.now)
		group := is.group
		if is.state == nil {
			group = m.group()
		}
		switch roll := m.rng.IntN(60); {
		case is.gone:
		case roll == 0:
			m.gone(m.now, i)
		case roll < 5:
			m.paused(m.now, i)
		case roll < 15:
			m.is(m.now, i, m.group(), byte(m.rng.IntN(3)))
		case roll < 45:
			m.is(m.now, i, group, byte(m.rng.IntN(3)))
		}
	}
}

// take brings a group to a tick, unless a member has left another one that the
// client still holds from before that.
func (m *groupModel) take(group components.Group, at entangle.Tick) {
	for _, e := range m.entities {
		if is := m.at(e, at); (is.in(group) || m.died(e, is, group)) && m.early(e, group, at) {
			return
		}
	}
	m.held[group] = at
	for _, e := range m.entities {
		switch is := m.at(e, at); {
		case is.in(group):
			if !m.torn || m.rng.IntN(2) == 0 {
				m.shown[e] = at
			}
		case m.died(e, is, group):
			delete(m.shown, e)
		}
	}
}

// early reports whether an entity has left a group that is behind.
func (m *groupModel) early(e ecs.Entity, group components.Group, at entangle.Tick) bool {
	in := components.Group(0)
	for _, was := range m.past[e] {
		if at.Before(was.from) || was.state == nil {
			continue
		}
		if in != 0 && in != was.group && in != group && m.held[in].Before(was.from) {
			return true
		}
		in = was.group
	}
	return false
}

// died reports whether an entity is gone, as one of a group; what was paused then
// stays on clients.
func (m *groupModel) died(e ecs.Entity, is moment, group components.Group) bool {
	list := m.past[e]
	return is.gone && list[len(list)-2].in(group)
}

// alarms counts what the check says of a client in a random history.
func (m *groupModel) alarms() (count int, first error) {
	for range 60 {
		m.tick()
		group := m.group()
		from := max(m.held[group], 1)
		m.take(group, from+entangle.Tick(m.rng.IntN(int(m.now-from)+1)))
		if err := m.check(m.shown, m.now); err != nil {
			count++
			first = err
		}
	}
	return count, first
}

// A client that takes groups whole is never complained of, and one that takes them
// in part is.
func TestTheCheckOfGroupsIsRight(t *testing.T) {
	const most = 300
	torn := 0
	for seed := range uint64(most) {
		_, err := newGroupModel(seed).alarms()
		require.NoError(t, err, fmt.Sprintf("seed %d", seed))
		m := newGroupModel(seed)
		m.torn = true
		if count, _ := m.alarms(); count > 0 {
			torn++
		}
	}
	assert.Greater(t, torn, most/2)
}
