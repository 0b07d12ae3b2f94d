package prespawn

import "github.com/entangle-ecs/entangle"

// State is the state of an entity in a Matcher.
type State uint8

const (
	// Waiting: the client has spawned the entity, and the server's has not arrived.
	Waiting State = iota
	// Matched: the server has the entity too. It is held for as long as a rollback may repeat its spawn.
	Matched
	// Unpaired: another entity had its hash first, so that none of the server's can match it.
	Unpaired
)

// DefaultLimit is a limit for New. A game exceeds it only if it spawns hundreds of entities in each tick,
// or if the server spawns none of them.
const DefaultLimit = 4096

// Matcher pairs the entities that a client has spawned with those of the server.
type Matcher[E comparable] struct {
	limit int
	alive func(E) bool
	list  list[E]
	at    map[uint32]int32 // by hash: the place in the list of an entry that is not Unpaired
	of    map[E]int32      // by entity: the place in the list
	stats Stats
}

// Stats counts what happened to prespawned entities.
type Stats struct {
	Matched    uint64 // entities of the client that became entities of the server
	Unmatched  uint64 // entities of the client that were removed, because the server's did not come in time
	Merged     uint64 // spawns that a rollback repeated, of entities that stayed the same
	Collisions uint64 // entities with the hash of another one, which stays the only one of the hash
	Overflow   uint64 // entities that were given up because there were too many
}

// New returns an empty Matcher for at most limit entities. alive reports whether an entity is still in
// the world.
func New[E comparable](limit int, alive func(E) bool) *Matcher[E] {
	return &Matcher[E]{limit: max(limit, 1), alive: alive, at: map[uint32]int32{}, of: map[E]int32{}}
}

// Len returns the number of entities.
func (m *Matcher[E]) Len() int { return m.list.len }

// Stats returns the counters.
func (m *Matcher[E]) Stats() Stats { return m.stats }

// Spawned adds an entity that the client has spawned in a tick, and that waits up to the tick until. If the
// spawn is that of an absent entity, which a replay repeats, nothing is added, and the result is that
// entity. If there is no room, the oldest entity is given up, and drop is called for it.
func (m *Matcher[E]) Spawned(e E, hash uint32, tick, until entangle.Tick, drop func(e E, s State)) (same E, repeated bool) {
	state := Waiting
	if at := m.living(hash); at != 0 {
		old := &m.list.entries[at]
		if old.absent {
			old.tick, old.absent = tick, false
			m.stats.Merged++
			return old.entity, true
		}
		m.stats.Collisions++
		state = Unpaired
	}
	if m.list.len == m.limit {
		m.giveUp(m.list.first(), drop)
	}
	m.add(entry[E]{entity: e, hash: hash, state: state, tick: tick, until: until})
	return same, false
}

// Announced adds an entity that the client has spawned ahead of its tick, as the server does: it may arrive
// before that tick or in it, no replay spawns it again, and it waits up to the tick. If there is no room,
// the oldest entity is given up, and drop is called for it.
func (m *Matcher[E]) Announced(e E, hash uint32, tick entangle.Tick, drop func(e E, s State)) {
	state := Waiting
	if m.living(hash) != 0 {
		m.stats.Collisions++
		state = Unpaired
	}
	if m.list.len == m.limit {
		m.giveUp(m.list.first(), drop)
	}
	m.add(entry[E]{entity: e, hash: hash, state: state, tick: tick, until: tick, early: true})
}

// Has reports whether there is a living entity with a hash, whether or not the server's has arrived.
func (m *Matcher[E]) Has(hash uint32) bool { return m.living(hash) != 0 }

// Match finds the entity of the client that an entity of the server is, by its hash and the tick as of
// which it arrived. Each entity is found once.
func (m *Matcher[E]) Match(hash uint32, tick entangle.Tick) (e E, ok bool) {
	at := m.living(hash)
	if at == 0 {
		return e, false
	}
	found := &m.list.entries[at]
	if found.state != Waiting || found.absent || !found.early && tick.Before(found.tick) {
		return e, false
	}
	found.state = Matched
	m.stats.Matched++
	return found.entity, true
}

// Arrived adds an entity of the server that Match has found no entity for: the client may still spawn
// it, in a tick that is replayed or has not run yet. The tick is that as of which it arrived, and now is
// the present one. It is not added if another entity has its hash, or if there is no room.
func (m *Matcher[E]) Arrived(e E, hash uint32, tick, now entangle.Tick) {
	if m.living(hash) != 0 {
		m.stats.Collisions++
		return
	}
	if m.list.len < m.limit {
		m.add(entry[E]{entity: e, hash: hash, state: Matched, tick: tick, absent: now.Before(tick)})
	}
}

// Ended removes an entity that the server has despawned, so that its hash is free.
func (m *Matcher[E]) Ended(e E) {
	if at := m.of[e]; at != 0 {
		m.remove(at)
	}
}

// Restored notes that the world is at a tick, and calls f for each entity that is absent there: it was
// spawned later, and a replay of its tick spawns it again.
func (m *Matcher[E]) Restored(tick entangle.Tick, f func(e E)) {
	for at := m.list.first(); at != 0; at = m.list.entries[at].next {
		if e := &m.list.entries[at]; !e.early && tick.Before(e.tick) && m.alive(e.entity) {
			e.absent = true
			f(e.entity)
		}
	}
}

// Absent reports whether an entity is absent, and was the first of its hash.
func (m *Matcher[E]) Absent(e E) bool {
	at := m.of[e]
	return at != 0 && m.list.entries[at].absent && m.list.entries[at].state != Unpaired
}

// Expire gives up what need not be held any more, between the ticks of the client, and calls drop for
// each entity that is to be removed from the world:
//   - entities that no tick has spawned again after a rollback to before their spawn;
//   - entities that still wait after their time, if all state of the server as of their tick has arrived
//     (confirmed), or no rollback can go back to it (oldest).
//
// It also drops what is not alive, and entities of the server of which no rollback can repeat the spawn. After a
// stall of the server the clock may be set back to the confirmed tick, and a rollback goes as far back from there.
func (m *Matcher[E]) Expire(now, confirmed, oldest entangle.Tick, drop func(e E, s State)) {
	final := oldest - (now - confirmed)
	for at := m.list.first(); at != 0; {
		e := m.list.entries[at]
		tooOld := e.tick.Before(oldest)
		switch {
		case !m.alive(e.entity), e.state == Matched && e.tick.Before(final):
			m.remove(at)
		case e.state == Matched:
		case e.absent:
			m.remove(at)
			drop(e.entity, e.state)
		case !now.Before(e.until) && (tooOld || !confirmed.Before(e.tick)):
			m.stats.Unmatched++
			m.remove(at)
			drop(e.entity, e.state)
		}
		at = e.next
	}
}

// Clear gives up all entities, and calls drop for those that the server does not have.
func (m *Matcher[E]) Clear(drop func(e E, s State)) {
	for at := m.list.first(); at != 0; at = m.list.first() {
		e := m.list.entries[at]
		if m.remove(at); e.state != Matched && m.alive(e.entity) {
			drop(e.entity, e.state)
		}
	}
}

// living returns the place of the entry of a hash, or 0. An entity that is not alive has no hash.
func (m *Matcher[E]) living(hash uint32) int32 {
	at := m.at[hash]
	if at != 0 && !m.alive(m.list.entries[at].entity) {
		m.remove(at)
		return 0
	}
	return at
}

func (m *Matcher[E]) add(e entry[E]) {
	at := m.list.add(e)
	m.of[e.entity] = at
	if e.state != Unpaired {
		m.at[e.hash] = at
	}
}

func (m *Matcher[E]) remove(at int32) {
	e := &m.list.entries[at]
	delete(m.of, e.entity)
	if e.state != Unpaired {
		delete(m.at, e.hash)
	}
	m.list.remove(at)
}

// giveUp makes room for one more entity.
func (m *Matcher[E]) giveUp(at int32, drop func(e E, s State)) {
	e := m.list.entries[at]
	m.remove(at)
	if e.state != Matched && m.alive(e.entity) {
		m.stats.Overflow++
		drop(e.entity, e.state)
	}
}
