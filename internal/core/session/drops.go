package session

// Drop is the reason why a datagram was ignored.
type Drop uint8

// Reasons to ignore a datagram. Those from DropRequestForm on are for connection requests, in the order of the checks.
const (
	dropNone Drop = iota

	DropTooShort     // fewer than 18 bytes
	DropTooLong      // larger than any packet
	DropUnknownKind  // a type of 7 or more
	DropUnwantedKind // a type that this side does not read, or not in this state
	DropSequenceSize // the prefix announces no or too many sequence bytes
	DropNoConnection // from an address that neither is nor becomes a client
	DropReplayed     // received before, or older than the replay window
	DropForged       // altered, or sealed with another key
	DropBodySize     // opened, but its body has a size that its type never has
	DropBody         // opened, but its contents are contradictory
	DropReplyQueue   // the answer found no room in the queue; poll more often
	DropStopped      // the server has stopped
	DropRepeated     // a request or response of a client that is connected already
	DropAlive        // a keep-alive of a client from which a packet was received in that frame, or a disconnect packet after the first

	DropRequestForm       // wrong size or version
	DropProtocol          // another game, or another version of it
	DropTokenExpired      // it has expired
	DropTokenNotYetValid  // minted in the future, or with a longer life than the server's
	DropTokenForged       // the sealed half does not open: it was altered, or sealed with another key
	DropTokenMalformed    // it opens, but does not read as a token
	DropTokenBeforeStart  // could have been used before this server started
	DropWrongServer       // it lists other servers
	DropAddressConnected  // this address is a client already, by another token
	DropClientConnected   // this client id is connected already
	DropTokenOtherAddress // the token was first used from another address
	DropTokenConsumed     // the token has been used for a connection
	DropHistoryFull       // too many unexpired tokens to remember one more
	DropPendingFull       // too many clients are connecting at once
	DropServerFull        // answered with a denial: no free slot

	drops
)

var dropNames = [drops]string{
	"none", "too short", "too long", "unknown kind", "unwanted kind", "sequence size",
	"no connection", "replayed", "forged", "body size", "body", "reply queue full", "stopped", "repeated handshake", "needless keep-alive",
	"request form", "wrong protocol", "token expired",
	"token not yet valid", "token sealed with another key", "token malformed", "token before start", "wrong server",
	"address connected", "client connected", "token of other address",
	"token consumed", "history full", "pending full", "server full",
}

// String names the reason in a few lower-case words.
func (d Drop) String() string {
	if d >= drops {
		return "unknown"
	}
	return dropNames[d]
}
