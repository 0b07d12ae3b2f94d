package limits

// PrespawnLimit pairs spawns by hand: a table from hashes to entities, from which a match takes its entry, and no
// other state. The hash is one mix of tick and number, which has to do for components, owner and salt.
type PrespawnLimit struct {
	waiting map[uint32]uint32
	Matched int
}

func NewPrespawnLimit() *PrespawnLimit { return &PrespawnLimit{waiting: map[uint32]uint32{}} }

// Spawn adds the entities of a tick.
func (l *PrespawnLimit) Spawn(tick uint32, entities []uint32) {
	for i, e := range entities {
		l.waiting[prespawnHash(tick, uint32(i))] = e
	}
}

// Match finds the entities of a tick.
func (l *PrespawnLimit) Match(tick uint32, n int) {
	for i := range n {
		hash := prespawnHash(tick, uint32(i))
		if _, ok := l.waiting[hash]; ok {
			delete(l.waiting, hash)
			l.Matched++
		}
	}
}

func prespawnHash(tick, n uint32) uint32 {
	x := uint64(tick)<<32 | uint64(n)
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return uint32((x ^ x>>31) >> 32)
}
