package interest

// index finds rooms by the game's numbers. It uses open addressing, in a table that is at most half
// full. Unlike a map, it allocates nothing when rooms come and go.
type index struct {
	slots []int32 // index of a room plus one; 0 is free
	used  int
}

const minIndex = 16

// home returns the slot at which the search for a number begins.
func (x *index) home(number uint32) int {
	return int(uint64(number*0x9e3779b1) * uint64(len(x.slots)) >> 32)
}

func (x *index) nextSlot(i int) int { return (i + 1) & (len(x.slots) - 1) }

// lookup returns the room with a number, or -1.
func (x *index) lookup(all []room, number uint32) int32 {
	if x.used == 0 {
		return -1
	}
	for i := x.home(number); x.slots[i] != 0; i = x.nextSlot(i) {
		if at := x.slots[i] - 1; all[at].number == number {
			return at
		}
	}
	return -1
}

func (x *index) addRoom(all []room, at int32) {
	if 2*(x.used+1) > len(x.slots) {
		x.grow(all)
	}
	x.insert(all, at)
	x.used++
}

func (x *index) insert(all []room, at int32) {
	i := x.home(all[at].number)
	for x.slots[i] != 0 {
		i = x.nextSlot(i)
	}
	x.slots[i] = at + 1
}

func (x *index) grow(all []room) {
	before := x.slots
	x.slots = make([]int32, max(minIndex, 2*len(before)))
	for _, s := range before {
		if s != 0 {
			x.insert(all, s-1)
		}
	}
}

// removeRoom removes a room, and moves other rooms to the slot that became free if they would not
// be found otherwise.
func (x *index) removeRoom(all []room, at int32) {
	i := x.home(all[at].number)
	for x.slots[i] != at+1 {
		i = x.nextSlot(i)
	}
	x.used--
	hole := i
	for i = x.nextSlot(i); x.slots[i] != 0; i = x.nextSlot(i) {
		home := x.home(all[x.slots[i]-1].number)
		if x.between(home, hole, i) {
			x.slots[hole], hole = x.slots[i], i
		}
	}
	x.slots[hole] = 0
}

// between reports whether a room at slot i, with home as its first slot, can move to hole.
func (x *index) between(home, hole, i int) bool {
	mask := len(x.slots) - 1
	return (i-home)&mask >= (i-hole)&mask
}
