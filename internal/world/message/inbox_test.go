package message

import (
	"testing"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/sink"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type word struct {
	Text  string
	Who   ecs.Entity
	Marks []uint16
}

type loose struct{ Who ecs.Entity }

// wordOfMany and yellOfMany are messages with many entities.
type wordOfMany struct {
	All []ecs.Entity `net:"max=4096"`
}

type yellOfMany struct {
	All []ecs.Entity `net:"max=4096"`
}

type question struct{ Of ecs.Entity }

type answer struct{ Text string }

// desk is a Post with one Inbox, and the messages that were raised.
type desk struct {
	t       testing.TB
	post    *Post
	applier *sink.Applier
	hub     *event.Hub
	mail    *Inbox
	known   map[repl.ID]repl.Slot
	words   []word
	now     time.Time
}

func newDesk(t testing.TB, server bool) *desk {
	p := protocol.New(protocol.Config{Name: "desk"})
	protocol.Message[word](p).Relay()
	protocol.Message[loose](p).Mode(protocol.UnorderedReliable)
	protocol.Message[wordOfMany](p)
	protocol.Message[yellOfMany](p).Mode(protocol.UnorderedReliable)
	protocol.Request[question, answer](p)
	require.NoError(t, registry.Seal(p))
	w := ecs.NewWorld()
	d := &desk{t: t, post: NewPost(p, server), hub: event.NewHub(), known: map[repl.ID]repl.Slot{}, now: time.Unix(100, 0)}
	ecs.AddResource(&w, &components.Targets{})
	d.applier = sink.NewApplier(&w, d.hub, nil, func(ecs.Entity) {}, func(ecs.Entity) {})
	d.post.Attach(&w, d.hub, nil, d.applier)
	d.mail = d.post.NewInbox(1, d.find)
	for _, info := range registry.Of(p).Messages[2:] {
		d.hub.AddMessage(info.Plan).Sink = func(_ event.Head, r *bits.Reader, _ wire.RefReader) error {
			if n := r.Uvarint(); n != 0 {
				return errMessage
			}
			return r.End()
		}
	}
	info := registry.Of(p).Messages[1]
	require.Contains(t, info.Name, "word")
	events := d.hub.AddMessage(info.Plan)
	events.Sink = func(_ event.Head, r *bits.Reader, refs wire.RefReader) error {
		var got word
		if err := wire.DecodeValue(info.Plan, r, &got, refs); err != nil {
			return err
		}
		d.words = append(d.words, got)
		return r.End()
	}
	return d
}

func (d *desk) find(id repl.ID) (repl.Slot, bool) {
	if s, ok := d.known[id]; ok {
		return s, true
	}
	return repl.NoSlot, false
}

// arrive makes an entity of the other side known.
func (d *desk) arrive(group repl.Handle) {
	id := repl.ID{Group: group}
	d.known[id] = d.applier.Spawn(id)
}

const wordChannel = peer.FirstMessages + channel.ID(channel.OrderedReliable)

// word writes a message of the server about one of its entities.
func (d *desk) word(text string, about repl.Handle) []byte {
	var w bits.Writer
	w.Uvarint(1)
	w.Bool(false)
	w.Uvarint(1)
	w.Bool(true)
	repl.AppendRef(&w, repl.Ref{ID: repl.ID{Group: about}})
	w.Uvarint(uint64(len(text)))
	w.Raw([]byte(text))
	w.Uvarint(1) // the sender: the first of the table
	w.Uvarint(0)
	return w.Finish()
}

func (d *desk) get(body []byte) {
	d.t.Helper()
	require.NoError(d.t, d.mail.HandleMessage(wordChannel, body, 1, d.now))
}

func (d *desk) texts() (all []string) {
	for _, w := range d.words {
		all = append(all, w.Text)
	}
	return all
}

// A message waits for its entity. On an ordered channel the messages behind it wait too.
func TestAMessageWaitsForItsEntity(t *testing.T) {
	d := newDesk(t, false)
	d.arrive(1)
	d.get(d.word("first", 1))
	d.get(d.word("early", 2))
	d.get(d.word("behind", 1))
	require.NoError(t, d.mail.Advance(d.now))
	assert.Equal(t, []string{"first"}, d.texts())
	d.arrive(2)
	require.NoError(t, d.mail.Advance(d.now))
	assert.Equal(t, []string{"first", "early", "behind"}, d.texts())
	assert.False(t, d.words[1].Who.IsZero())
	assert.EqualValues(t, 1, d.post.Stats().Waited)
	assert.Zero(t, d.post.Stats().Dangling)
}

// After two seconds a message is delivered without its entity.
func TestAMessageDoesNotWaitForEver(t *testing.T) {
	d := newDesk(t, false)
	d.get(d.word("alone", 2))
	require.NoError(t, d.mail.Advance(d.now.Add(maxHeldFor-1)))
	assert.Empty(t, d.words)
	require.NoError(t, d.mail.Advance(d.now.Add(maxHeldFor)))
	require.Len(t, d.words, 1)
	assert.True(t, d.words[0].Who.IsZero())
	assert.EqualValues(t, 1, d.post.Stats().Dangling)
}

// On an unordered channel, a message waits only for its own entity.
func TestUnorderedMessagesDoNotWaitForEachOther(t *testing.T) {
	d := newDesk(t, false)
	body := func(about repl.Handle) []byte {
		var w bits.Writer
		w.Uvarint(0)
		w.Uvarint(1)
		w.Bool(true)
		repl.AppendRef(&w, repl.Ref{ID: repl.ID{Group: about}})
		w.Uvarint(1)
		return w.Finish()
	}
	ch := peer.FirstMessages + channel.ID(channel.UnorderedReliable)
	require.NoError(t, d.mail.HandleMessage(ch, body(1), 1, d.now))
	require.NoError(t, d.mail.HandleMessage(ch, body(2), 1, d.now))
	d.arrive(2)
	require.NoError(t, d.mail.Advance(d.now))
	assert.Equal(t, 1, d.mail.Held())
	assert.EqualValues(t, 1, d.post.Stats().Received)
}

// At most 1,024 messages with 256 KiB wait. Beyond that the oldest is delivered.
func TestWaitingMessagesAreBounded(t *testing.T) {
	d := newDesk(t, false)
	for range MaxHeld + 10 {
		d.get(d.word("early", 2))
	}
	assert.Equal(t, MaxHeld, d.mail.Held())
	assert.Len(t, d.words, 10)

	d = newDesk(t, false)
	d.get(d.word("early", 2))
	long := append(d.word("long", 1), make([]byte, 60<<10)...)
	for range 4 {
		d.get(long) // is not looked at before its turn
	}
	assert.Empty(t, d.words)
	assert.Error(t, d.mail.HandleMessage(wordChannel, long, 1, d.now), "its turn has come, and it is malformed")
	assert.LessOrEqual(t, d.mail.held.bytes, maxHeldBytes)
	for d.mail.Held() > 0 {
		d.mail.held.remove(d.mail.held.oldest)
	}
	assert.Zero(t, d.mail.held.bytes)
}

// If an answer cannot be sent, the client that asked gets an error, and stays connected.
func TestAnAnswerThatCannotBeSent(t *testing.T) {
	d := newDesk(t, true)
	plan := d.post.requests[0].Answer
	require.NoError(t, d.post.HandleRequests(0, func(entangle.ClientID, *bits.Reader, wire.RefReader) (Answer, error) {
		return func(w *bits.Writer, refs wire.RefWriter) error {
			return wire.EncodeValue(plan, w, &answer{Text: string(make([]byte, 5000))}, refs)
		}, nil
	}))
	var w bits.Writer
	w.Uvarint(0)
	w.Bits(7, 32)
	w.Uvarint(0)
	w.Uvarint(0)
	require.NoError(t, d.mail.HandleMessage(peer.Requests, w.Finish(), 1, d.now))
	require.Len(t, d.post.Out, 1)
	assert.True(t, d.post.Out[0].Failed)
	assert.EqualValues(t, 7, d.post.Out[0].Call)
}

// The number of messages that a frame queues is bounded even if their bodies are empty.
func TestMessagesOfAFrameAreBounded(t *testing.T) {
	d := newDesk(t, true)
	empty := func(*bits.Writer, wire.RefWriter) error { return nil }
	n := 0
	for ; d.post.Send(1, components.Everyone, entangle.Nobody, empty) == nil; n++ {
		require.Less(t, n, maxOutgoing)
	}
	assert.ErrorIs(t, d.post.Send(1, components.Everyone, entangle.Nobody, empty), ErrTooMuch)
	d.post.Drop()
	assert.NoError(t, d.post.Send(1, components.Everyone, entangle.Nobody, empty))
}

func TestAnAudienceReadsBackAndIsBounded(t *testing.T) {
	for _, a := range []audience{{}, {except: true}, {ids: []entangle.ClientID{1, 1 << 63}}, {ids: make([]entangle.ClientID, maxAudience), except: true}} {
		var w bits.Writer
		appendAudience(&w, a)
		var r bits.Reader
		r.Reset(w.Finish())
		got, ok := readAudience(&r)
		require.True(t, ok)
		assert.Equal(t, a, got)
	}
	var w bits.Writer
	appendAudience(&w, audience{ids: make([]entangle.ClientID, maxAudience+1)})
	var r bits.Reader
	r.Reset(w.Finish())
	_, ok := readAudience(&r)
	assert.False(t, ok)
	one := audience{ids: []entangle.ClientID{4}}
	assert.True(t, one.contains(4) && !one.contains(5))
	one.except = true
	assert.True(t, !one.contains(4) && one.contains(5))
}

// FuzzInbox passes messages of random bytes to the inboxes of a server and a client. None of them
// panics, and the held and queued messages stay within their bounds.
//
// Proves: Z6
func FuzzInbox(f *testing.F) {
	d := newDesk(f, false)
	f.Add(uint8(wordChannel), d.word("hello", 1))
	f.Add(uint8(peer.Requests), []byte{0, 0, 0, 0, 0, 0, 0})
	f.Add(uint8(peer.FirstMessages)+1, []byte{0, 0, 0})
	f.Fuzz(func(t *testing.T, ch uint8, body []byte) {
		for _, server := range []bool{false, true} {
			d := newDesk(t, server)
			d.arrive(1)
			for range 3 {
				if d.mail.HandleMessage(channel.ID(ch&63), body, 1, d.now) != nil {
					break
				}
			}
			d.arrive(2)
			_ = d.mail.Advance(d.now)
			require.LessOrEqual(t, d.mail.Held(), MaxHeld)
			require.LessOrEqual(t, d.mail.held.bytes, maxHeldBytes)
			require.LessOrEqual(t, len(d.post.heap), 16*len(body)*3+64<<10)
		}
	})
}
