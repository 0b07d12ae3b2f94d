package connectiontest

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/trusted"
	"github.com/entangle-ecs/entangle/transport/memory"
)

// recorder is a testing.TB that records a failure.
type recorder struct {
	testing.TB
	mu      sync.Mutex
	failure string
}

func (r *recorder) Helper() {}

func (r *recorder) Fatalf(format string, args ...any) {
	r.mu.Lock()
	r.failure = fmt.Sprintf(format, args...)
	r.mu.Unlock()
	runtime.Goexit()
}

func (r *recorder) Fatal(args ...any) { r.Fatalf("%s", fmt.Sprint(args...)) }

// failureOf runs one check and returns its failure.
func failureOf(t *testing.T, name string, open Open) string {
	for _, c := range checks {
		if c.name != name {
			continue
		}
		r := &recorder{TB: t}
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.run(newBench(r, open, 300*time.Millisecond))
		}()
		<-done
		return r.failure
	}
	require.Fail(t, "no such check", name)
	return ""
}

// faulty is a layer with one fault.
type faulty struct {
	connection.Server
	receive    func(inner connection.Server, now time.Time) (connection.Event, error)
	send       func(inner connection.Server, slot int, payload []byte, now time.Time)
	disconnect func(inner connection.Server, slot int, reason string, now time.Time)
	flush      func(inner connection.Server) error
	sent       func() uint64
}

func (f *faulty) Listen(config connection.ServerConfig) (connection.Server, error) {
	inner, err := f.Server.(connection.Listener).Listen(config)
	opened := *f
	opened.Server = inner
	return &opened, err
}

func (f *faulty) Receive(now time.Time) (connection.Event, error) {
	if f.receive != nil {
		return f.receive(f.Server, now)
	}
	return f.Server.Receive(now)
}

func (f *faulty) Send(slot int, payload []byte, now time.Time) {
	if f.send != nil {
		f.send(f.Server, slot, payload, now)
		return
	}
	f.Server.Send(slot, payload, now)
}

func (f *faulty) Disconnect(slot int, reason string, now time.Time) {
	if f.disconnect != nil {
		f.disconnect(f.Server, slot, reason, now)
		return
	}
	f.Server.Disconnect(slot, reason, now)
}

func (f *faulty) Flush() error {
	if f.flush != nil {
		return f.flush(f.Server)
	}
	return f.Server.Flush()
}

func (f *faulty) Sent(slot int) uint64 {
	if f.sent != nil {
		return f.sent()
	}
	return f.Server.Sent(slot)
}

// closedServer holds the Listener in faulty's Server field until Listen is called.
type closedServer struct {
	connection.Server
	connection.Listener
}

// open makes a layer with a fault.
func open(f faulty) Open {
	return func(testing.TB) Layer {
		network := memory.NewNetwork()
		here := network.Listener()
		f.Server = closedServer{Listener: trusted.Listener{Over: here}}
		return Layer{Listener: &f, Dialer: func(g Guest) connection.Dialer {
			return trusted.Dialer{Over: network.Dialer(), Server: here.Addr(), Client: g.Client, UserData: g.UserData}
		}}
	}
}

// receiving returns a fault that changes the events that Receive returns.
func receiving(change func(*connection.Event)) faulty {
	return faulty{receive: func(inner connection.Server, now time.Time) (connection.Event, error) {
		e, err := inner.Receive(now)
		if err == nil {
			change(&e)
		}
		return e, err
	}}
}

func TestFaultsAreFound(t *testing.T) {
	lastSent := []byte{1}
	for name, c := range map[string]struct {
		check string
		fault faulty
		says  string
	}{
		"a slot beyond the last": {"AClientIsLetIn", receiving(func(e *connection.Event) { e.Slot += 4 }), "Connected of slot 4; want 0 to 3"},
		"an event of no kind":    {"AClientIsLetIn", receiving(func(e *connection.Event) { e.Kind = 9 }), "an event of kind 9"},
		"user data cut short":    {"AClientIsLetIn", receiving(func(e *connection.Event) { e.UserData = e.UserData[:3] }), "other user data"},
		"no name":                {"AClientIsLetIn", receiving(func(e *connection.Event) { e.Name = "" }), "has no name"},
		"no reason":              {"AClientMayLeave", receiving(func(e *connection.Event) { e.Err = nil }), "without an Err"},
		"every event is one of slot 0": {
			"SlotsAreToldApart", receiving(func(e *connection.Event) { e.Slot = 0 }), "slot 0 is Connected twice",
		},
		"payloads without a client": {
			"PayloadsArriveWhole", receiving(func(e *connection.Event) { e.Slot = (e.Slot + int(e.Kind)) % 4 }), "which is not connected",
		},
		"the payload is kept": {"SendKeepsNothing", faulty{
			send: func(_ connection.Server, _ int, payload []byte, _ time.Time) { lastSent = payload },
			flush: func(inner connection.Server) error {
				inner.Send(0, lastSent, time.Now())
				return inner.Flush()
			},
		}, "Send must not keep it"},
		"payloads twice": {"PayloadsArriveOnce", faulty{
			send: func(inner connection.Server, slot int, payload []byte, now time.Time) {
				inner.Send(slot, payload, now)
				inner.Send(slot, payload, now)
			},
		}, "arrived twice"},
		"nothing is sent": {"PayloadsArriveWhole", faulty{
			send: func(connection.Server, int, []byte, time.Time) {},
		}, "not seen: a payload of the server arrives"},
		"Disconnect does not reach the client": {"DisconnectReachesTheClient", faulty{
			disconnect: func(connection.Server, int, string, time.Time) {},
		}, "not seen: the client is disconnected"},
		"Flush fails":       {"AClientIsLetIn", faulty{flush: func(connection.Server) error { return assert.AnError }}, "Flush of the server"},
		"a counter is lost": {"Counters", faulty{sent: func() uint64 { return 0 }}, "Sent says 0 before and 0 after"},
		"a full frame":      {"AClientIsLetIn", faulty{receive: flood}, "and no ErrEmpty"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Contains(t, failureOf(t, c.check, open(c.fault)), c.says)
		})
	}
	for _, c := range checks {
		assert.Empty(t, failureOf(t, c.name, open(faulty{})), "%s of a layer without faults", c.name)
	}
}

// flood is a Receive that returns payloads without end.
func flood(connection.Server, time.Time) (connection.Event, error) {
	return connection.Event{Kind: connection.Disconnected, Err: connection.ErrClosed}, nil
}
