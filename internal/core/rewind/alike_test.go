package rewind

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/snapshot"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/set"
)

const (
	crowdSize    = 150
	crowdPackets = 3 // in each tick: each has the updates of a third of the groups
)

// crowd is a server with many entities, of which most are updated in the same ticks, and one client.
type crowd struct {
	*History
	Received
	all     Entities
	slots   []Slot // with the columns
	newest  entangle.Tick
	jumps   [crowdSize]uint8
	late    [crowdSize]entangle.Tick // of a change of structure that has not arrived
	silent  [crowdSize]entangle.Tick // up to which it has no updates
	rng     *rand.Rand
	changes bool // entities teleport, get and lose columns, and join groups, and updates are lost
}

func newCrowd(rng *rand.Rand, changes bool) *crowd {
	c := &crowd{History: NewHistory(curvedKinds(), tickRate, depth), rng: rng, changes: changes, newest: 1000}
	c.all = Entities{Slot: 3, Group: Group{Index: 7}, Every: 1, Joined: make([]entangle.Tick, crowdSize)}
	for i := range crowdSize {
		c.all.Names = append(c.all.Names, uint64(1000+i))
		c.slots = append(c.slots, c.all.Slot+Slot(i))
		c.all.Joined[i] = c.newest
		c.Received.Begin(Group{Index: 7 + i}, c.newest)
	}
	c.send()
	c.Arrived(uint16(c.newest) * crowdPackets)
	for i := range crowdSize {
		c.Deliver(Group{Index: 7 + i}, c.newest)
	}
	return c
}

// send sends the packets of the newest tick.
func (c *crowd) send() {
	for k := range uint16(crowdPackets) {
		c.Sent(uint16(c.newest)*crowdPackets+k, c.newest)
	}
}

// curvedKinds returns those of other tests, and a column that is shown by a curve.
func curvedKinds() []snapshot.Kind {
	curved := snapshot.Kind{Size: 8, Blend: blend, Each: each, With: mark}
	curved.Curve = func(dst, plane, with []byte, from, to []uint32, share, seconds []float32) {
		each(dst, plane, from, to, share)
		for i := range from {
			v := number(dst[i*8:]) + number(with[from[i]*8:])*float64(seconds[i])
			binary.NativeEndian.PutUint64(dst[i*8:], math.Float64bits(v))
		}
	}
	return append(kinds(), curved)
}

// tick runs a tick, in which the updates of most entities arrive.
func (c *crowd) tick() {
	c.newest++
	c.History.Begin(c.newest, int(c.all.Slot)+crowdSize)
	c.MarkSent()
	for col := range c.kinds {
		for _, s := range c.slots {
			binary.NativeEndian.PutUint64(c.Row(col)[s*8:], math.Float64bits(float64(int(s)*int(c.newest)%251)))
		}
		has := c.slots
		if c.changes && c.rng.IntN(8) == 0 {
			at := c.rng.IntN(crowdSize)
			has = slices.Concat(c.slots[:at], c.slots[at+1:])
		}
		MarkPresent(c.History, col, has)
	}
	if c.changes && c.rng.IntN(5) == 0 {
		c.jumps[c.rng.IntN(crowdSize)]++
	}
	for i, n := range c.jumps {
		c.SetTeleports(c.all.Slot+Slot(i), n)
	}
	arrived := c.newest - 2
	c.send()
	first := uint16(arrived) * crowdPackets
	for i := range crowdSize {
		c.Arrived(first + uint16(i*crowdPackets/crowdSize))
		g, chance := Group{Index: 7 + i}, 5
		if c.changes {
			chance = c.rng.IntN(1000)
		}
		switch chance {
		case 0:
			c.Received.Change(g, arrived)
			c.late[i] = arrived
		case 1:
			c.BeginAgain(g, arrived)
			c.late[i] = arrived
		case 2:
			c.all.Joined[i] = c.newest - entangle.Tick(c.rng.IntN(12))
		case 3:
			c.silent[i] = c.newest + 8
		case 4:
			c.Received.Begin(g, arrived)
			c.late[i] = arrived
		default:
			if chance < 990 && !c.newest.Before(c.silent[i]) {
				c.Acknowledge(g, arrived)
			}
		}
		if late := c.late[i]; late != 0 && c.newest.Sub(late) > 7 {
			c.Deliver(g, late)
			c.late[i] = 0
		}
	}
	c.LateFrame(&timesync.LateFrame{Screen: timesync.Screen{Base: shown(float64(c.newest) - 5.25), Packets: 1}, Newest: first - 1, Later: 1})
	if c.changes && c.rng.IntN(4) == 0 { // packets of this tick or of the one before were late, or overtaken
		screen := timesync.Screen{Base: shown(float64(c.newest) - 4*c.rng.Float64() - 2), Packets: 1}
		c.LateFrame(&timesync.LateFrame{Screen: screen, Newest: first, Later: c.rng.Uint32N(4), Overtaken: c.rng.Uint32N(8)})
	}
	if !c.changes || c.rng.IntN(8) > 0 {
		c.LateFramesReported()
		c.AcksHandled(true)
	}
}

// Entities that are added together are shown as those that are added one by one.
//
// Proves: L1, L4
func TestEntitiesThatMoveAlikeAreShownAsEachAlone(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			c := newCrowd(rand.New(rand.NewPCG(seed, 22)), true)
			var together, alone View
			for range 180 {
				c.tick()
			}
			longest := 0
			for range 40 {
				c.tick()
				now := shown(float64(c.newest) - 5 + c.rng.Float64())
				together.Reset(c.History, &c.Received)
				together.Add(&c.all, now)
				for _, r := range together.runs {
					longest = max(longest, r.count)
				}
				at := 0
				for i := range crowdSize {
					alone.Reset(c.History, &c.Received)
					if one := c.all.Part(i, i+1); alone.Add(&one, now) == 0 {
						continue
					}
					require.Equal(t, alone.Target(0), together.Target(at))
					for col := range c.kinds {
						values, absent := together.Values(col)
						want, wantAbsent := alone.Values(col)
						require.Equal(t, wantAbsent[0], absent[at])
						if !absent[at] {
							require.Equal(t, number(want), number(values[at*8:]), "column %d of %d", col, i)
						}
					}
					found, ok := together.Find(c.all.Names[i])
					require.Equal(t, at, found)
					require.True(t, ok)
					at++
				}
				require.Equal(t, at, together.Len())
			}
			assert.Greater(t, longest, 5)
		})
	}
}

// Entities of a view with other intervals are shown as of other times.
//
// Proves: L1
func TestEntitiesAtAnotherTimeDoNotMoveAlike(t *testing.T) {
	c := newCrowd(rand.New(rand.NewPCG(1, 24)), false)
	for range 200 {
		c.tick()
	}
	var together, alone View
	together.Reset(c.History, &c.Received)
	halves := [2]Entities{c.all.Part(0, 50), c.all.Part(50, crowdSize)}
	together.Add(&halves[0], shown(float64(c.newest)-5.25))
	together.Add(&halves[1], shown(float64(c.newest)-4.5))
	alone.Reset(c.History, &c.Received)
	alone.Add(&halves[1], shown(float64(c.newest)-4.5))
	values, _ := together.Values(spot)
	want, _ := alone.Values(spot)
	assert.Equal(t, want, values[50*8:])
}

// A group that has just been sent again is not shown as of before that, however many late frames the client tells of.
//
// Proves: L2, L4
func TestManyLateFramesMakeNoGroupOlder(t *testing.T) {
	c := newCrowd(rand.New(rand.NewPCG(1, 25)), false)
	for range 200 {
		c.tick()
	}
	again := Group{Index: 7 + 20}
	c.BeginAgain(again, c.newest-4)
	c.Deliver(again, c.newest-4)
	for i := range 2 * frameRows {
		screen := timesync.Screen{Base: shown(float64(c.newest)-5.25) + timesync.Shown(i), Packets: 1}
		c.LateFrame(&timesync.LateFrame{Screen: screen, Newest: uint16(c.newest)*crowdPackets + uint16(i) - 1, Later: 1})
	}
	var v View
	v.Reset(c.History, &c.Received)
	assert.Equal(t, crowdSize-1, v.Add(&c.all, shown(float64(c.newest)-5)))
	_, ok := v.Find(c.all.Names[20])
	assert.False(t, ok)
}

// Entities that the client has are not like one that is gone, also if that was added before.
//
// Proves: L4
func TestNoneIsLikeOneThatIsGone(t *testing.T) {
	c := newCrowd(rand.New(rand.NewPCG(1, 26)), false)
	for range 200 {
		c.tick()
	}
	now := shown(float64(c.newest) - 5)
	c.Depart(Group{Index: 7}, Target{Slot: 3, Entity: 5}, 1, 1000, c.newest, set.Mask{}, false)
	var v View
	v.Reset(c.History, &c.Received)
	v.AddDeparted(&client{now: now})
	v.Add(&c.all, now)
	assert.True(t, v.Target(0).Gone)
	assert.False(t, v.Target(1).Gone)
	assert.False(t, v.Target(crowdSize).Gone)
	v.Reset(c.History, &c.Received)
	v.Add(&c.all, now)
	gone := c.all.Part(1, 2)
	gone.Gone = true
	v.Add(&gone, now)
	assert.False(t, v.Target(crowdSize-1).Gone)
	assert.True(t, v.Target(crowdSize).Gone)
}

// An entity is found in a view also after the client has lost it, and another one is not found.
//
// Proves: L4
func TestTargetsAreFoundByTheirEntity(t *testing.T) {
	w := even(kinds(), 0)
	w.Depart(w.group, Target{Slot: 5, Entity: 8}, 1, 100, 118, set.Mask{}, false)
	w.view.Reset(w.History, &w.Received)
	_, ok := w.view.Find(7)
	assert.False(t, ok, "the view is empty")
	w.at(spot, 113.5)
	for entity, want := range map[uint64]int{7: 0, 8: 1} {
		target, ok := w.view.Find(entity)
		assert.True(t, ok)
		assert.Equal(t, want, target)
		assert.Equal(t, entity, w.view.Target(target).Entity)
	}
	_, ok = w.view.Find(9)
	assert.False(t, ok)
}

func TestAViewOfManyAllocatesNothing(t *testing.T) {
	c := newCrowd(rand.New(rand.NewPCG(1, 23)), false)
	var v View
	for range 200 {
		c.tick()
	}
	assert.Zero(t, alloctest.Count(200, func() {
		c.tick()
		v.Reset(c.History, &c.Received)
		v.Add(&c.all, shown(float64(c.newest)-5))
		for col := range c.kinds {
			v.Values(col)
		}
		v.Find(c.all.Names[1])
	}))
}
