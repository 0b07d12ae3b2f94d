package session

// Stats are counters since the start, by value.
type Stats struct {
	// Received datagrams, dropped ones included.
	Received uint64

	// Payloads received from the peer and delivered.
	Payloads uint64

	// Sealed payloads and keep-alives of AppendPayload and AppendKeepAlive.
	Sealed uint64

	// Challenges and Denials sent. Server only.
	Challenges, Denials uint64

	// Connects and Disconnects of clients. Server only.
	Connects, Disconnects uint64

	// Pending clients and stored Tokens at present. Server only.
	Pending, Tokens int

	// Drops by reason.
	Drops Drops
}

// Drops are numbers of ignored datagrams, indexed by Drop.
type Drops [drops]uint64
