package session

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/entangle-ecs/entangle/transport/token"
)

// handshakes is the state of a server for clients that are not connected yet: the tokens that were
// used, and the challenges that have not been answered.
type handshakes struct {
	own        ownAddresses
	opener     *token.Opener
	maker      aeadMaker
	pending    pendingTable
	history    history
	challenger challenger
	sequence   uint64 // of the next packet to a client without a slot
	answer     answer
	body       [answerSize]byte
}

// The sequences of one key are divided among the servers that a token lists, because a client that
// gets no answer from one of them tries the next one with the same keys.
const (
	// globals is the lowest of the sequences that slots never use: the upper half, for challenges
	// and denials.
	globals = 1 << 63

	// slotSpan is the number of sequences that a slot may use: enough for 34 years of 1,000 packets
	// a second. The first server of a token has the lowest sequences, which take the fewest bytes.
	slotSpan = 1 << 40
)

// firstGlobal returns the sequence of a server's first challenge or denial. It is random within the
// lower half of globals, so that it is very unlikely that two servers overlap, and none runs out of
// sequences.
func firstGlobal(random uint64) uint64 { return globals | random>>2 }

// firstOfSlot returns the first sequence of a client's slot. place is the index of this server in the
// list of servers in the client's token.
func firstOfSlot(place int) uint64 { return uint64(place) * slotSpan }

// newHandshakes returns tables without entries. The error reports an invalid key, or that reading
// Entropy failed.
func newHandshakes(config *ServerConfig, maker aeadMaker) (h handshakes, err error) {
	if h.opener, err = token.NewOpener(config.Key, config.ProtocolID); err != nil {
		return h, err
	}
	var key token.Key
	var first [8]byte
	for _, secret := range [][]byte{key[:], first[:]} {
		if _, err = io.ReadFull(config.Entropy, secret); err != nil {
			return h, fmt.Errorf("session: ServerConfig.Entropy: %w", err)
		}
	}
	h.own, h.maker = config.Addresses, maker
	h.sequence = firstGlobal(binary.LittleEndian.Uint64(first[:]))
	h.pending = newPendingTable(config.Pending)
	h.history = newHistory(config.History)
	h.challenger, err = newChallenger(key, maker)
	return h, err
}

// newPending returns the entry of a client with a valid token.
func (h *handshakes) newPending(protocolID uint64, from Addr, id tokenID, private *token.Private) (*pending, error) {
	at, _ := h.own.indexIn(private.Servers)
	p := &pending{
		from:    from,
		token:   id,
		claim:   challenge{client: private.ClientID, userData: private.UserData},
		timeout: private.Timeout,
	}
	var err error
	p.link, err = newLink(protocolID, private.ServerToClient, private.ClientToServer, h.maker)
	p.link.sequence = firstOfSlot(at)
	return p, err
}

// answers reports whether a response contains a challenge token that this server made for the same
// client with the same token.
func (h *handshakes) answers(body []byte, claim *challenge) bool {
	decodeAnswer(body, &h.answer)
	var answered challenge
	return h.challenger.decrypt(&h.answer, &answered) && answered == *claim
}
