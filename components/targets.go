package components

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/entangle-ecs/entangle"
)

const setIndexBits = 12

// MaxSets is how many different sets of clients a Targets keeps. Games use a few, such as teams, the
// clients nearby, or those in a vehicle; 4096 are enough for several per player of a full server.
const MaxSets = 1 << setIndexBits

// Targets is a resource that makes targets of several clients. Equal sets are one Target.
//
// At most MaxSets are kept. Making another one drops a set that is not held by any Replicate,
// override, or queued message or resource: the one that was made and used longest ago. The Target
// of a dropped set contains no client. Therefore keep targets only in those places, and make all
// others again where they are used. If all sets are held, no other can be made: the Target is then
// Nobody, which is counted in Refused.
//
// Its zero value is ready for use. It belongs to the goroutine of its world.
type Targets struct {
	sets  []clientSet
	byKey map[string]int
	key   []byte              // scratch: the key of the set to find
	ids   []entangle.ClientID // scratch: the ids of the set to find, sorted
	clock uint64

	holders []func(hold func(Target))
	held    []bool // scratch: by index in sets, whether the set is held
	refused uint64

	inRoom func(Room, entangle.ClientID) bool // nil if there are no rooms
}

type clientSet struct {
	ids    []entangle.ClientID // sorted, each once
	except bool
	target Target
	used   uint64
}

// Only returns the target of exactly these clients. It is Nobody if no client is given, or if no
// set can be made.
func (t *Targets) Only(clients ...entangle.ClientID) Target {
	if len(clients) == 0 {
		return Nobody
	}
	return t.intern(clients, false)
}

// Except returns the target of every client but these. It is Everyone if no client is given, and
// Nobody if no set can be made.
func (t *Targets) Except(clients ...entangle.ClientID) Target {
	if len(clients) == 0 {
		return Everyone
	}
	return t.intern(clients, true)
}

// Room returns the target of the clients that are in a room at the time of use; see plugin.Rooms.
// For a message, the time of use is the end of the frame in which it is sent. It is not a set: any
// number of rooms can be targets at once, and none is dropped. Rooms exist on the server: on a
// client this target is empty, and a message to it reaches only the server.
//
// It panics for room 0, and for rooms from 2^31 on.
func (t *Targets) Room(room Room) Target {
	if room == 0 || Target(room)&inRoom != 0 {
		panic(fmt.Sprintf("components: %d is no room; number rooms from 1 to %d", room, inRoom-1))
	}
	return inRoom | Target(room)
}

// AskRooms sets the function that reports whether a client is in a room. Package plugin calls it.
func (t *Targets) AskRooms(in func(Room, entangle.ClientID) bool) { t.inRoom = in }

// Contains reports whether a client is in a target. Default and NotOwner count as Everyone, since
// there is no owner here; a dropped set contains no client.
func (t *Targets) Contains(target Target, client entangle.ClientID) bool {
	if target < reserved {
		return target.openWithoutOwner()
	}
	if room, ok := target.Room(); ok {
		return t.inRoom != nil && t.inRoom(room, client)
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

// Known reports whether a target is valid for an entity: a constant other than Server, a room, or a
// set that is kept.
func (t *Targets) Known(target Target) bool {
	if _, room := target.Room(); room || target < Server {
		return true
	}
	i := int(target & (MaxSets - 1))
	return target >= reserved && i < len(t.sets) && t.sets[i].target == target
}

// Clients returns the clients of a set, or, with except, all clients except those of the set.
// Default and NotOwner count as Everyone, and a room as empty, because only Contains can find its
// clients. The slice must not be modified.
func (t *Targets) Clients(target Target) (clients []entangle.ClientID, except bool) {
	if target < reserved {
		return nil, target.openWithoutOwner()
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
		if i, ok = t.allocSet(); !ok {
			t.refused++
			return Nobody
		}
		set := &t.sets[i]
		set.ids, set.except = slices.Clone(t.ids), except
		t.byKey[string(t.key)] = i
	}
	t.touch(&t.sets[i])
	return t.sets[i].target
}

// appendKey appends the key of a set: equal sets have equal keys.
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

// allocSet returns the index of a set to fill, with a target that was not used before (until an
// index has had 2^19 sets). ok is false if all sets are held.
func (t *Targets) allocSet() (i int, ok bool) {
	if t.byKey == nil {
		t.byKey = make(map[string]int)
	}
	if len(t.sets) < MaxSets {
		i := len(t.sets)
		t.sets = append(t.sets, clientSet{target: reserved + Target(i)})
		return i, true
	}
	t.mark()
	oldest := -1
	for i := range t.sets {
		if !t.held[i] && (oldest < 0 || t.sets[i].used < t.sets[oldest].used) {
			oldest = i
		}
	}
	if oldest < 0 {
		return 0, false
	}
	t.freeSet(oldest)
	return oldest, true
}

// HeldBy registers a function that reports the targets held by its owner, such as package plugin.
// Targets calls each when MaxSets sets exist and another one is needed. each must call hold with
// every held target. The sets of these targets are not dropped.
func (t *Targets) HeldBy(each func(hold func(Target))) { t.holders = append(t.holders, each) }

// Refused returns how often a set could not be made because MaxSets others were held.
func (t *Targets) Refused() uint64 { return t.refused }

// mark finds the sets that are held.
func (t *Targets) mark() {
	t.held = append(t.held[:0], make([]bool, len(t.sets))...)
	for _, each := range t.holders {
		each(t.hold)
	}
}

func (t *Targets) hold(target Target) {
	if i := int(target & (MaxSets - 1)); target >= reserved && i < len(t.sets) && t.sets[i].target == target {
		t.held[i] = true
	}
}

func (t *Targets) freeSet(i int) {
	set := &t.sets[i]
	delete(t.byKey, string(appendKey(nil, set.ids, set.except)))
	set.target += reserved
	if set.target&inRoom != 0 { // the count of this index has wrapped around
		set.target = reserved + Target(i)
	}
}

func (t *Targets) touch(set *clientSet) {
	t.clock++
	set.used = t.clock
}
