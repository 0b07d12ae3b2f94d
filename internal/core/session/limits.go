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

// MaxForeignPayload is the largest payload that is accepted. This implementation sends at most
// entangle.MaxPayload bytes, but the standard allows 1200.
const MaxForeignPayload = 1200

// maxPacket is the size of the largest valid packet. Larger ones are dropped unread.
const maxPacket = maxPrefixed + MaxForeignPayload + tagSize

// maxReply is the size of the largest reply of a server, which is a challenge.
const maxReply = maxPrefixed + answerSize + tagSize

// MaxSlots bounds ServerConfig.MaxClients. A slot takes about 600 bytes, and 16,384 clients are
// more than one process can serve at a useful rate.
const MaxSlots = 16384

// sendInterval is the interval of requests, responses and keep-alives: 10 per second by the
// standard. With the default timeout of 5 s, 49 may be lost in a row.
const sendInterval = 100 * time.Millisecond

// redundantDisconnects is how many disconnect packets are sent. At 50 % loss, all of them are lost
// once in 1,000 disconnects, and then the timeout ends the connection.
const redundantDisconnects = 10

// GoodbyeWait is how long payloads are still read after the peer's first disconnect packet.
// Disconnect packets are empty: the reason is in a payload sent before them, which they may
// overtake. The wait is longer than the delays by which networks reorder packets that were sent
// together. It begins with the first disconnect packet, and nothing prolongs it.
const GoodbyeWait = 100 * time.Millisecond

// pendingLife is how long a challenged client may take to answer, since its last request. It
// repeats its request and its response 10 times a second, so after 10 s a hundred packets were
// lost.
const pendingLife = 10 * time.Second

// sweepInterval is how often expired entries are removed from the tables. Expiry times are in whole
// seconds.
const sweepInterval = time.Second

// replyQueue is how many handshake replies can wait for PollDatagram. Further ones are dropped; the
// client repeats its request 100 ms later. It is twice the largest batch that a transport reads at
// once.
const replyQueue = 256

// Default sizes of the tables for n clients: the minimum and the number for each slot. A pending
// client takes about 700 bytes, a used token about 100.
const (
	minPending     = 256  // for bursts of connecting clients at a small server
	pendingPerSlot = 4    // for three reconnects of all clients at the same time
	minHistory     = 4096 // 136 connects per second, with tokens that live for 30 s
	historyPerSlot = 16
)

// maxSpan is the longest life of a token that a client assumes, in seconds. It is 68 years, which
// fit into a time.Duration; the range of the token's fields does not.
const maxSpan = 1<<31 - 1

// maxOwnPayload is the longest payload that AppendPayload accepts.
const maxOwnPayload = entangle.MaxPayload
