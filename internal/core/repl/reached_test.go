package repl_test

import (
	"reflect"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// reached counts the rare branches of random worlds.
type reached struct {
	retained, shownAfter        int // groups that a peer retained, and those of them that it was shown again
	movedPrivate                int // moves of entities that were spawned in a private group
	overdue                     int // groups that waited for longer than their MaxAge
	reusedPublic, reusedPrivate int // handles that another group got
	reusedLate                  int // of these, while a message was in flight that names an entity
	namedToPeer, namedToSender  int // messages that found the entity that they name
	waited, replaced            int // records that waited at a receiver, and updates replaced while they waited
	orphaned, predicted         int
}

// add adds the counts of a world that has ended.
func (r *reached) add(n *network) {
	sent := n.world.Stats()
	n.reached.overdue = int(sent.Overdue)
	for _, e := range n.peers {
		got := e.copy.Stats()
		n.reached.waited += int(got.Waited)
		n.reached.replaced += int(got.Replaced)
		n.reached.orphaned += len(e.sink.corpses)
		n.reached.predicted += e.settles
	}
	sum, of := reflect.ValueOf(r).Elem(), reflect.ValueOf(n.reached)
	for i := range sum.NumField() {
		*(*int)(sum.Field(i).Addr().UnsafePointer()) += int(of.Field(i).Int())
	}
}

// noteHandle counts a handle that another group had before.
func (n *network) noteHandle(e *end, h repl.Handle, key groupKey) {
	before, had := e.keys[h]
	if !had || before == key {
		return
	}
	if h.Private() {
		n.reached.reusedPrivate++
	} else {
		n.reached.reusedPublic++
	}
	if e.names > 0 {
		n.reached.reusedLate++
	}
}

// reaching adds up the rare branches of many worlds, which run side by side.
type reaching struct {
	sync.Mutex
	reached
}

func (r *reaching) end(n *network) {
	r.Lock()
	defer r.Unlock()
	r.add(n)
}

// enoughWorlds is the number of worlds from which on each rare branch must be reached.
const enoughWorlds = 50

// check requires that the worlds reached every rare branch.
func (r *reaching) check(t *testing.T, worlds uint64) {
	of := reflect.ValueOf(r.reached)
	for i := range of.NumField() {
		name, count := of.Type().Field(i).Name, of.Field(i).Int()
		t.Logf("%s: %d", name, count)
		if worlds >= enoughWorlds && !t.Failed() {
			assert.Positivef(t, count, "in no world: %s", name)
		}
	}
}
