// Package transporttest checks that a transport keeps the rules of package transport.
// Every transport of this module runs it, and so should a custom one:
//
//	func TestTransport(t *testing.T) {
//		transporttest.Run(t, func(t testing.TB) (transport.Listener, transport.Dialer) {
//			network := newMyNetwork()
//			return network.listener(), network.dialer()
//		})
//	}
//
// A transport with connections as clients' ends, which end with their server, has the trait
// Connected. One that strangers can reach should have the trait KeepsRoom. The checks admit
// every sender as a client to a transport that is an Admitter.
//
// The transport may lose, repeat and reorder datagrams during a check, as long as most
// arrive: a check that waits for a datagram sends it repeatedly, for at most ten seconds.
// With a transport that delivers at once, checks pass without waiting. Run them with -race
// as well; Close is called while another goroutine receives and sends.
package transporttest
