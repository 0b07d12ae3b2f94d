// Package memory is a transport inside one process: for the local player of a host,
// bots, and tests.
//
// A Network connects listeners and dialers. Addresses are made up from
// fd00::/64, in the order in which listeners and connections are made, and are
// never used twice in one Network. Two Networks use the same addresses.
//
// A datagram that Send counts is in the peer's queue when Send returns, in order, once,
// and unchanged. Driven by one goroutine, a whole network is deterministic. Several
// goroutines may drive its ends, one per end. Nothing is allocated once the queues have
// reached their greatest length.
//
// There is no latency, and datagrams are lost only if they overflow a queue of QueueLimit
// datagrams. Wrap it with package conditioner for a worse network.
//
//	network := memory.NewNetwork()
//	listener := network.Listener()         // for Server.Start; listener.Addr() goes into tokens
//	conn, err := network.Dialer().Dial(listener.Addr())
package memory
