package session

// Drop is the reason why a datagram was ignored.
type Drop uint8

// The reasons for ignoring a datagram. Those from DropRequestForm on are for connection requests,
// in the order in which they are checked.
const (
	dropNone Drop = iota

	DropTooShort     // fewer than 18 bytes
	DropTooLong      // larger than any packet
	DropUnknownKind  // a type of 7 or more
	DropUnwantedKind // a type that this side does not read, or not in its present state
	DropSequenceSize // the first byte announces no sequence bytes, or too many
	DropNoConnection // from an address that is neither connected nor connecting
	DropReplayed     // received before, or older than the replay window
	DropForged       // altered, or sealed with another key
	DropBodySize     // it could be opened, but its body has a size that its type never has
	DropBody         // it could be opened, but its content is contradictory
	DropReplyQueue   // there was no room for the answer in the queue; poll more often
	DropStopped      // the server has stopped
	DropRepeated     // a request or response of a client that is already connected
	DropAlive        // a keep-alive of a client from which another packet arrived in the same frame, or a second disconnect packet

	DropRequestForm       // wrong size or version
	DropProtocol          // another game, or another version of it
	DropTokenExpired      // the token has expired
	DropTokenNotYetValid  // minted in the future, or with a longer life than TokenLife
	DropTokenForged       // the sealed part could not be opened: it was altered, or sealed with another key
	DropTokenMalformed    // the sealed part could be opened, but is not a valid token
	DropTokenBeforeStart  // the token could have been used before this server started
	DropWrongServer       // the token lists other servers
	DropAddressConnected  // the address is connected already, with another token
	DropClientConnected   // the client id is connected already
	DropTokenOtherAddress // the token was first used from another address
	DropTokenConsumed     // the token has been used for a connection
	DropHistoryFull       // there are too many unexpired tokens to record one more
	DropPendingFull       // too many clients are connecting at once
	DropServerFull        // answered by a denial, because there is no free slot

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

// String returns the reason in a few lower-case words.
func (d Drop) String() string {
	if d >= drops {
		return "unknown"
	}
	return dropNames[d]
}
