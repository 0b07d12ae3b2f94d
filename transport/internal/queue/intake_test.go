package queue_test

import (
	"errors"
	"net/netip"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/internal/queue"
)

// plainIntake is a simple model of Intake, made of lists.
type plainIntake struct {
	limits             queue.Limits
	admitted           map[netip.AddrPort]bool
	clients, strangers []waiting
	begun              bool // a round has begun, in which left datagrams remain to be returned
	left               [2]int
}

type waiting struct {
	from netip.AddrPort
	id   byte
}

// room reports whether one more datagram of an address may wait.
func (p *plainIntake) room(from netip.AddrPort) bool {
	if !p.admitted[from] {
		return len(p.strangers) < p.limits.Strangers
	}
	count := map[netip.AddrPort]int{}
	shared := 0
	for _, w := range p.clients {
		if count[w.from]++; count[w.from] > p.limits.Client {
			shared++
		}
	}
	if count[from] < p.limits.Client {
		return true
	}
	each := p.limits.Each
	if each == 0 {
		each = p.limits.Shared
	}
	return shared < p.limits.Shared && count[from]-p.limits.Client < each
}

func (p *plainIntake) push(w waiting) bool {
	switch {
	case !p.room(w.from):
		return false
	case p.admitted[w.from]:
		p.clients = append(p.clients, w)
	default:
		p.strangers = append(p.strangers, w)
	}
	return true
}

func (p *plainIntake) pop() (w waiting, ok bool) {
	if !p.begun {
		p.begun, p.left = true, [2]int{len(p.clients), len(p.strangers)}
	}
	switch {
	case p.left[0] > 0:
		w, p.clients = p.clients[0], p.clients[1:]
		p.left[0]--
	case p.left[1] > 0:
		w, p.strangers = p.strangers[0], p.strangers[1:]
		p.left[1]--
	default:
		p.begun = false
		return w, false
	}
	return w, true
}

// To repeat a failure: go test ./transport/internal/queue -rapid.seed=SEED
//
// Proves: Z22
func TestIntakeEqualsPlainLists(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := &plainIntake{admitted: map[netip.AddrPort]bool{}, limits: queue.Limits{
			Strangers: rapid.IntRange(1, 20).Draw(rt, "strangers"),
			Client:    rapid.IntRange(0, 5).Draw(rt, "client"),
			Shared:    rapid.IntRange(0, 10).Draw(rt, "shared"),
			Each:      rapid.IntRange(0, 4).Draw(rt, "each"),
		}}
		q := queue.NewIntake(p.limits)
		buf := make([]byte, entangle.MaxDatagram)
		pop := func() bool {
			want, ok := p.pop()
			n, from, err := q.Pop(buf)
			require.Equal(rt, ok, err == nil)
			if !ok {
				require.ErrorIs(rt, err, transport.ErrEmpty)
				return false
			}
			require.Equal(rt, want, waiting{from, buf[0]})
			require.Equal(rt, 1, n)
			return true
		}
		for i := range rapid.IntRange(0, 300).Draw(rt, "calls") {
			addr := peer(rapid.IntRange(1, 6).Draw(rt, "address"))
			switch rapid.SampledFrom([]string{"push", "push", "push", "burst", "pop", "drain", "admit", "dismiss"}).Draw(rt, "call") {
			case "push":
				require.Equal(rt, p.push(waiting{addr, byte(i)}), q.Push(addr, []byte{byte(i)}))
			case "burst":
				for j := range 15 {
					require.Equal(rt, p.push(waiting{addr, byte(j)}), q.Push(addr, []byte{byte(j)}))
				}
			case "pop":
				pop()
			case "drain":
				for pop() {
				}
			case "admit":
				p.admitted[addr] = true
				q.Admit(addr)
			case "dismiss":
				delete(p.admitted, addr)
				q.Dismiss(addr)
			}
		}
		for range 3 { // the present round, and one that returns the rest
			for pop() {
			}
		}
		require.Empty(rt, slices.Concat(p.clients, p.strangers))
	})
}

func TestIntakeCountsWhatItDrops(t *testing.T) {
	q := queue.NewIntake(queue.Limits{Strangers: 1, Client: 1, Shared: 1})
	q.Admit(peer(1))
	assert.True(t, q.Push(peer(1), []byte("before the filter")))
	q.SetFilter(func(data []byte, client bool) bool { return client && data[0] == 'c' || data[0] == 's' })
	for _, b := range [][]byte{nil, make([]byte, entangle.MaxDatagram+1), []byte("x")} {
		assert.False(t, q.Push(peer(1), b))
	}
	assert.False(t, q.Push(peer(2), []byte("client")), "it is none")
	for i, want := range []bool{true, false} {
		assert.Equal(t, want, q.Push(peer(1), []byte("client")), i)
		assert.Equal(t, want, q.Push(peer(2), []byte("stranger")), i)
	}
	n, _, err := q.Pop(make([]byte, 8))
	require.NoError(t, err)
	assert.Equal(t, 6, n, "the one before does not fit")
	assert.Equal(t, queue.IntakeStats{Pushed: 3, Size: 2, Form: 1, Strange: 1, StrangersFull: 1, ClientFull: 1, TooLarge: 1}, q.Stats())
	q.Close()
	assert.True(t, q.Closed())
	assert.False(t, q.Push(peer(1), []byte("client")))
	_, _, err = q.Pop(make([]byte, 8))
	assert.ErrorIs(t, err, transport.ErrClosed)
}

// The work per frame is bounded for any sender, even if new datagrams arrive as fast as they are
// taken. The next round returns those that arrived during this one, in order.
//
// Proves: Z22
func TestARoundTakesWhatWaitedWhenItBegan(t *testing.T) {
	for name, clients := range map[string]int{"strangers": 0, "clients": 5, "both": 3} {
		t.Run(name, func(t *testing.T) {
			q := queue.NewIntake(queue.Limits{Strangers: 10, Client: 2, Shared: 6, Each: 6})
			for i := range clients {
				q.Admit(peer(i))
			}
			buf := make([]byte, 8)
			for i := range 5 {
				require.True(t, q.Push(peer(i), []byte{0}))
				require.True(t, q.Push(peer(i), []byte{1}))
			}
			next := map[netip.AddrPort]byte{}
			for range 300 {
				taken := 0
				for _, from, err := q.Pop(buf); !errors.Is(err, transport.ErrEmpty); _, from, err = q.Pop(buf) {
					require.NoError(t, err)
					require.Equal(t, next[from], buf[0], "the order of %v", from)
					require.True(t, q.Push(from, []byte{buf[0] + 2}))
					next[from]++
					taken++
					require.LessOrEqual(t, taken, 10)
				}
				require.Equal(t, 10, taken)
			}
		})
	}
}

// An address that sends more than its reserved room holds takes at most Limits.Each of the shared
// room, so that a burst of another client still finds room.
//
// Proves: Z22
func TestAnAddressTakesItsPartOfTheSharedRoom(t *testing.T) {
	q := queue.NewIntake(queue.Limits{Strangers: 1, Client: 4, Shared: 80, Each: 10})
	for i := range 8 {
		q.Admit(peer(i))
	}
	for range 3 {
		count := map[netip.AddrPort]int{}
		for range 1000 {
			q.Push(peer(0), []byte("forged"))
		}
		for i := 1; i < 8; i++ {
			for range 4 + 10 {
				require.True(t, q.Push(peer(i), []byte("burst")), "client %d", i)
			}
		}
		buf := make([]byte, 8)
		for _, from, err := q.Pop(buf); err == nil; _, from, err = q.Pop(buf) {
			count[from]++
		}
		for i := range 8 {
			require.Equal(t, 4+10, count[peer(i)], "client %d", i)
		}
	}
	assert.EqualValues(t, 3*(1000-14), q.Stats().ClientFull)
}

func TestIntakeAllocatesNothingOnceWarm(t *testing.T) {
	q := queue.NewIntake(queue.Limits{Strangers: 50, Client: 10, Shared: 20})
	q.SetFilter(func(data []byte, client bool) bool { return client || data[0] != 'x' })
	for i := range 5 {
		q.Admit(peer(i))
	}
	data, buf := make([]byte, 1000), make([]byte, entangle.MaxDatagram)
	frame := func() {
		for i := range 200 {
			q.Push(peer(i%20), data)
		}
		for _, _, err := q.Pop(buf); err == nil; _, _, err = q.Pop(buf) {
		}
	}
	frame()
	assert.Zero(t, alloctest.Count(100, frame))
}
