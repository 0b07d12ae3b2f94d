package components

import (
	"encoding/binary"
	"slices"

	"github.com/entangle-ecs/entangle"
)

const setIndexBits = 12

// MaxSets is how many different sets of clients a Targets keeps. Games use a few
// (teams, who is near, who is in a vehicle); 4096 leave room for one of each
// player of a full server, many times over.
const MaxSets = 1 << setIndexBits

// Targets is a resource that makes targets of several clients. Equal sets are one
// Target, however often they are made.
//
// At most MaxSets are kept. Making one more gives up the set that was longest
// neither made nor used; its Target then reaches nobody. A Target that is used is
// never given up before one that is not.
//
// Its zero value is ready for use. It belongs to the goroutine of its world.
type Targets struct {
	sets  []clientSet
	byKey map[string]int
	key   []byte              // scratch: of the set in question
	ids   []entangle.ClientID // scratch: the same, sorted
	clock uint64
}

type clientSet struct {
	ids    []entangle.ClientID // sorted, each once
	except bool
	target Target
	used   uint64
}

// Only returns the target of exactly these clients, Nobody for none.
func (t *Targets) Only(clients ...entangle.ClientID) Target {
	if len(clients) == 0 {
		return Nobody
	}
	return t.intern(clients, false)
}

// Except returns the target of every client but these, Everyone for none.
func (t *Targets) Except(clients ...entangle.ClientID) Target {
	if len(clients) == 0 {
		return Everyone
	}
	return t.intern(clients, true)
}

// Contains reports whether a client is in a target. Default is taken for
// Everyone, and so is NotOwner: nobody is an owner here; a set that was given up contains nobody.
func (t *Targets) Contains(target Target, client entangle.ClientID) bool {
	if target < reserved {
		return target.open()
	}
	i := int(target & (MaxSets - 1))
	if i >= len(t.sets) || t.sets[i].target != target {
		return false
	}
	set := &t.sets[i]
	t.touch(set)
	_, found := slices.BinarySearch(set.ids, client)
	return found != set.except
}

// Clients returns whom a target names: the clients of a set, or, with except, all
// clients but those. Default and
// NotOwner are taken for Everyone. The slice must not be changed.
func (t *Targets) Clients(target Target) (clients []entangle.ClientID, except bool) {
	if target < reserved {
		return nil, target.open()
	}
	i := int(target & (MaxSets - 1))
	if i >= len(t.sets) || t.sets[i].target != target {
		return nil, false
	}
	t.touch(&t.sets[i])
	return t.sets[i].ids, t.sets[i].except
}

func (t *Targets) intern(clients []entangle.ClientID, except bool) Target {
	t.ids = append(t.ids[:0], clients...)
	slices.Sort(t.ids)
	t.ids = slices.Compact(t.ids)
	t.key = appendKey(t.key[:0], t.ids, except)
	i, ok := t.byKey[string(t.key)]
	if !ok {
		i = t.place()
		set := &t.sets[i]
		set.ids, set.except = slices.Clone(t.ids), except
		t.byKey[string(t.key)] = i
	}
	t.touch(&t.sets[i])
	return t.sets[i].target
}

// appendKey writes a set: equal sets, equal keys.
func appendKey(dst []byte, ids []entangle.ClientID, except bool) []byte {
	kind := byte(0)
	if except {
		kind = 1
	}
	dst = append(dst, kind)
	for _, id := range ids {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(id))
	}
	return dst
}

// place returns the index of a set to fill, with a target that was not given out
// before (until 2^20 sets have had its place).
func (t *Targets) place() int {
	if t.byKey == nil {
		t.byKey = make(map[string]int)
	}
	if len(t.sets) < MaxSets {
		i := len(t.sets)
		t.sets = append(t.sets, clientSet{target: reserved + Target(i)})
		return i
	}
	oldest := 0
	for i := range t.sets {
		if t.sets[i].used < t.sets[oldest].used {
			oldest = i
		}
	}
	t.giveUp(oldest)
	return oldest
}

func (t *Targets) giveUp(i int) {
	set := &t.sets[i]
	delete(t.byKey, string(appendKey(nil, set.ids, set.except)))
	set.target += reserved
	if set.target < reserved { // the count of this place has wrapped around
		set.target += reserved
	}
}

func (t *Targets) touch(set *clientSet) {
	t.clock++
	set.used = t.clock
}
