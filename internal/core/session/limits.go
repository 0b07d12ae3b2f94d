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

// MaxForeignPayload is the largest payload that is accepted. This implementation sends at most entangle.MaxPayload; the
// standard allows others 1200.
const MaxForeignPayload = 1200

// maxPacket is the largest packet that can be valid: larger ones are dropped unread.
const maxPacket = maxPrefixed + MaxForeignPayload + tagSize

// maxReply is the largest reply of a server: a challenge.
const maxReply = maxPrefixed + answerSize + tagSize

// MaxSlots bounds ServerConfig.MaxClients. A slot takes about 600 bytes; 16,384 are
// more than one process can serve at any useful rate.
const MaxSlots = 16384

// sendInterval is the standard's rate of 10 Hz for requests, responses and
// keep-alives: with the default timeout of 5 s, 49 may be lost in a row.
const sendInterval = 100 * time.Millisecond

// redundantDisconnects is how many disconnect packets are sent: at 50 % loss all of them are lost once in 1,000 times, and
// then the timeout ends the connection.
const redundantDisconnects = 10

// GoodbyeWait is how long payloads are still read after the peer's first disconnect packet. Disconnect packets are empty:
// the reason of a disconnect is a payload sent before them, which they may overtake. The wait is longer than networks
// reorder packets that were sent together. It begins with the first disconnect packet, and nothing prolongs it.
const GoodbyeWait = 100 * time.Millisecond

// pendingLife is how long a challenged client may take to answer, counted from its last request. It repeats both 10 times
// a second, so 10 s mean a hundred lost packets.
const pendingLife = 10 * time.Second

// sweepInterval is how often expired entries are removed from the tables. Expiry has a resolution of seconds.
const sweepInterval = time.Second

// replyQueue is how many handshake replies can wait for PollDatagram; further ones are dropped, and requested again 100 ms
// later. It is twice the largest batch that a transport reads at once.
const replyQueue = 256

// Default sizes of the tables, for MaxClients of n. A pending client costs about
// 700 bytes, a used token about 100.
const (
	minPending     = 256  // a small server survives a burst of connects
	pendingPerSlot = 4    // a large one survives three simultaneous reconnects of all clients
	minHistory     = 4096 // 136 connects a second with tokens of 30 s
	historyPerSlot = 16
)

// maxSpan is the longest life of a token that a client assumes, in seconds: 68 years fit into a time.Duration, the range of
// the field does not.
const maxSpan = 1<<31 - 1

// maxOwnPayload is the largest payload for AppendPayload.
const maxOwnPayload = entangle.MaxPayload
