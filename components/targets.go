package components

import (
	"encoding/binary"
	"fmt"
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
// At most MaxSets are kept. Making one more gives up a set that nothing holds, no
// entity's Replicate, no override, and no message or resource on its way: the one
// that was longest neither made nor used. Its Target then reaches nobody. So keep
// targets in those places, and make others anew where they are used. If all sets are
// held no other can be made: the Target is then Nobody, which is counted in Refused.
//
// Its zero value is ready for use. It belongs to the goroutine of its world.
type Targets struct {
	sets  []clientSet
	byKey map[string]int
	key   []byte              // scratch: of the set in question
	ids   []entangle.ClientID // scratch: the same, sorted
	clock uint64

	holders []func(hold func(Target))
	held    []bool // scratch: by place in sets, whether something holds it
	refused uint64

	inRoom func(Room, entangle.ClientID) bool // nil: nobody knows of rooms
}

type clientSet struct {
	ids    []entangle.ClientID // sorted, each once
	except bool
	target Target
	used   uint64
}

// Only returns the target of exactly these clients, Nobody for none, and if no set
// can be made.
func (t *Targets) Only(clients ...entangle.ClientID) Target {
	if len(clients) == 0 {
		return Nobody
	}
	return t.intern(clients, false)
}

// Except returns the target of every client but these, Everyone for none. If no set
// can be made it is Nobody.
func (t *Targets) Except(clients ...entangle.ClientID) Target {
	if len(clients) == 0 {
		return Everyone
	}
	return t.intern(clients, true)
}

// Room returns the target of the clients that are in a room, at any time those that are
// in it then; see plugin.Rooms. For a message that is the end of the frame in which it is
// sent. It is no set: any number of rooms can be targets at once,
// and none is given up. Rooms are the server's: on a client it reaches nobody, a message to
// it the server alone.
//
// It panics for room 0, which is none, and from 2^31 on.
func (t *Targets) Room(room Room) Target {
	if room == 0 || Target(room)&inRoom != 0 {
		panic(fmt.Sprintf("components: %d is no room; number rooms from 1 to %d", room, inRoom-1))
	}
	return inRoom | Target(room)
}

// AskRooms is for package plugin, which knows who is in a room.
func (t *Targets) AskRooms(in func(Room, entangle.ClientID) bool) { t.inRoom = in }

// Contains reports whether a client is in a target. Default is taken for
// Everyone, and so is NotOwner: nobody is an owner here; a set that was given up contains nobody.
func (t *Targets) Contains(target Target, client entangle.ClientID) bool {
	if target < reserved {
		return target.open()
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

// Known reports whether a target is one that an entity can be for: a constant other than
// Server, a room, or a set that is kept.
func (t *Targets) Known(target Target) bool {
	if _, room := target.Room(); room || target < Server {
		return true
	}
	i := int(target & (MaxSets - 1))
	return target >= reserved && i < len(t.sets) && t.sets[i].target == target
}

// Clients returns whom a target names: the clients of a set, or, with except, all
// clients but those. Default and
// NotOwner are taken for Everyone, and a room for nobody: who is in it only Contains
// knows. The slice must not be changed.
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
		if i, ok = t.place(); !ok {
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
// before (until 2^19 sets have had its place). It is not ok when all sets are held.
func (t *Targets) place() (i int, ok bool) {
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
	t.giveUp(oldest)
	return oldest, true
}

// HeldBy is for package plugin, and for whatever else keeps targets: each is called
// when there is no room for another set, and calls hold with every target that it
// keeps. Those are not given up.
func (t *Targets) HeldBy(each func(hold func(Target))) { t.holders = append(t.holders, each) }

// Refused returns how often a set could not be made, because MaxSets others are held.
func (t *Targets) Refused() uint64 { return t.refused }

// mark finds the sets that something holds.
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

func (t *Targets) giveUp(i int) {
	set := &t.sets[i]
	delete(t.byKey, string(appendKey(nil, set.ids, set.except)))
	set.target += reserved
	if set.target&inRoom != 0 { // the count of this place has wrapped around
		set.target = reserved + Target(i)
	}
}

func (t *Targets) touch(set *clientSet) {
	t.clock++
	set.used = t.clock
}
