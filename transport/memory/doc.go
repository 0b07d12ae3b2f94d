// Package memory is a transport inside one process: a player beside the server
// that hosts the game, bots, and tests.
//
// A Network connects listeners and dialers. Addresses are made up from
// fd00::/64, in the order in which listeners and connections are made, and are
// never used twice in one Network. Two Networks use the same addresses.
//
// What it guarantees: a datagram that Send counts is in the peer's queue when
// Send returns, in order, once, and unharmed. Driven by one goroutine, a whole
// network is deterministic. Several goroutines may drive its ends, one per end.
// Nothing is allocated once the queues have been as full as they get.
//
// What it does not: it has no latency and loses nothing but what overflows a
// queue of QueueLimit datagrams. Put package conditioner around it for both.
//
//	network := memory.NewNetwork()
//	listener := network.Listener()         // for Server.Start; listener.Addr() goes into tokens
//	conn, err := network.Dialer().Dial(listener.Addr())
package memory
