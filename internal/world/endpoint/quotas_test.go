package endpoint

import (
	"fmt"
	"log/slog"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/internal/core/budget"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/protocol"
)

// The number of kept quotas of disconnected clients is limited. Restored quotas make room for new
// ones; the others stay.
//
// Proves: Z21
func TestRestoredQuotasMakeRoomForNewOnes(t *testing.T) {
	const most = 4
	in, now := budget.NewIntake(1000), time.Unix(100, 0)
	in.Begin(now)
	left := quotas{}
	leave := func(id entangle.ClientID) {
		q := in.Admit()
		in.Spend(&q, math.MaxInt)
		left.storeQuota(id, q, &in, most)
	}
	known := func(id entangle.ClientID) bool {
		q := left.takeQuota(id, &in)
		defer left.storeQuota(id, q, &in, most)
		return in.Left(&q) < 0
	}
	for id := range entangle.ClientID(most + 1) {
		leave(id)
	}
	for id := range entangle.ClientID(most) {
		assert.True(t, known(id))
	}
	assert.False(t, known(most), "there is no room for it")
	assert.Len(t, left, most)

	now = now.Add(800 * time.Millisecond)
	in.Begin(now)
	left.takeQuota(0, &in)
	leave(10)
	now = now.Add(900 * time.Millisecond)
	in.Begin(now) // the first quotas are fully restored
	for id := range entangle.ClientID(3) {
		leave(20 + id)
	}
	for _, id := range []entangle.ClientID{20, 21, 22} {
		assert.True(t, known(id), "%d", id)
	}
	assert.Len(t, left, most)
	q := left.takeQuota(10, &in)
	assert.False(t, in.Restored(&q), "and this one has not")
}

// visitors is a connection layer of clients that connect and leave within a frame, one by one.
type visitors struct {
	connection.Server
	events []connection.Event
}

func (v *visitors) visit(id entangle.ClientID) {
	v.events = append(v.events, connection.Event{Kind: connection.Connected, Client: id},
		connection.Event{Kind: connection.Disconnected})
}

func (v *visitors) Receive(time.Time) (connection.Event, error) {
	if len(v.events) == 0 {
		return connection.Event{}, connection.ErrEmpty
	}
	e := v.events[0]
	v.events = v.events[1:]
	return e, nil
}

func (v *visitors) AppendDropped(dst []connection.Dropped) []connection.Dropped { return dst }

// A server keeps the quotas of 16 times as many client ids as it has room for clients, of those
// that used up a part of theirs and left. Further ids begin with a full quota.
//
// Proves: Z21
func TestAServerKeepsSixteenQuotasPerClient(t *testing.T) {
	for _, maxClients := range []int{1, 3} {
		t.Run(fmt.Sprint(maxClients, " clients"), func(t *testing.T) {
			p := protocol.New(protocol.Config{Name: "quotas"})
			require.NoError(t, p.Err())
			s := NewServer(ServerConfig{
				Registry: message.NewRegistry(p, true), Channels: message.Channels(p, true),
				Post: message.NewPost(p, true), Log: slog.New(slog.DiscardHandler),
				Workers: 1, Intake: LeastWork, TickRate: 60, SendEvery: 1,
				Caps: Caps{TickRate: 60},
			})
			layer, now := &visitors{}, time.Unix(100, 0)
			s.Start([]connection.Server{layer}, maxClients)
			kept := 16 * maxClients
			for id := range kept + 2 {
				layer.visit(entangle.ClientID(id + 1)) // 0 is nobody
			}
			require.NoError(t, s.Receive(1, now))
			full := 0
			for id := range kept + 2 {
				if quota := s.departed.quotas.takeQuota(entangle.ClientID(id+1), &s.intake); s.intake.Restored(&quota) {
					full++
				}
			}
			assert.Equal(t, 2, full, "of %d quotas", kept+2)
		})
	}
}
