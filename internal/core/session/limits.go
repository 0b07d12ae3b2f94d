package session

import (
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport/token"
)

// Sizes in bytes, fixed by netcode 1.02.
const (
	tagSize       = 16
	minPacket     = 18 // prefix, one sequence byte, authentication code
	maxPrefixed   = 1 + 8
	requestSize   = 1 + len(token.Version) + 8 + 8 + token.NonceSize + token.PrivateSize
	challengeSize = 300
	answerSize    = 8 + challengeSize // a challenge's or response's body
	keepAliveSize = 8
)

// MaxForeignPayload is the largest payload that is accepted. Ours are at most
// entangle.MaxPayload; the standard allows other implementations 1200.
const MaxForeignPayload = 1200

// maxPacket is the largest packet that can be valid: anything larger is dropped
// before it is looked at.
const maxPacket = maxPrefixed + MaxForeignPayload + tagSize

// maxReply is the largest packet a server sends by itself: a challenge.
const maxReply = maxPrefixed + answerSize + tagSize

// MaxSlots bounds ServerConfig.MaxClients. A slot takes about 600 bytes; 16,384 are
// more than one process can serve at any useful rate.
const MaxSlots = 16384

// sendInterval is the standard's rate of 10 Hz for requests, responses and
// keep-alives: with the default timeout of 5 s, 49 may be lost in a row.
const sendInterval = 100 * time.Millisecond

// redundantDisconnects is how many disconnect packets say goodbye: at 50 % loss
// all of them are lost once in 1,000 times, and then the timeout does it.
const redundantDisconnects = 10

// GoodbyeWait is how long payloads are still read after the peer's first disconnect
// packet. Disconnect packets are empty: the reason of a disconnect is a payload that left
// before them, and on a line that reorders they overtake it. It is longer than lines
// reorder packets that left together. The first disconnect packet begins it, and nothing
// prolongs it.
const GoodbyeWait = 100 * time.Millisecond

// pendingLife is how long a client that was challenged may take to answer, counted
// from its last request. It asks and answers 10 times a second, so 10 s mean a
// hundred lost packets.
const pendingLife = 10 * time.Second

// sweepInterval is how often expired entries leave the tables: their own expiry
// has a resolution of seconds.
const sweepInterval = time.Second

// replyQueue is how many handshake replies can wait for PollDatagram; further
// ones are dropped, and asked for again 100 ms later. It is twice the largest
// batch that a transport reads at once.
const replyQueue = 256

// Default sizes of the tables, for MaxClients of n. A pending client costs about
// 700 bytes, a used token about 100.
const (
	minPending     = 256  // a small server survives a burst of connects
	pendingPerSlot = 4    // and a large one that all clients reconnect at once, thrice
	minHistory     = 4096 // 136 connects a second with tokens of 30 s
	historyPerSlot = 16
)

// maxSpan bounds, in seconds, how long a client takes a token to live: 68 years
// fit into a time.Duration, what a token could claim does not.
const maxSpan = 1<<31 - 1

// maxOwnPayload is the largest payload that AppendPayload takes.
const maxOwnPayload = entangle.MaxPayload
