package session

// Stats has counters since the start.
type Stats struct {
	// Received counts datagrams, including dropped ones.
	Received uint64

	// Payloads counts payloads that were received and returned.
	Payloads uint64

	// Sealed counts the packets that were sealed, except handshake replies of a server.
	Sealed uint64

	// Challenges and Denials count the sent packets of these types. Only servers count them.
	Challenges, Denials uint64

	// Connects and Disconnects count the clients that got and lost a slot. Only servers count them.
	Connects, Disconnects uint64

	// Pending and Tokens are the present numbers of connecting clients and recorded tokens. Only
	// servers have them.
	Pending, Tokens int

	// Drops counts ignored datagrams by reason.
	Drops Drops
}

// Drops are numbers of ignored datagrams, indexed by Drop.
type Drops [drops]uint64
