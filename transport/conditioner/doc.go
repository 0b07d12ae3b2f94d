// Package conditioner degrades a link: it delays, jitters, loses, duplicates, reorders
// and throttles datagrams in each direction, for tests and for trying a game on the
// network that its players have.
//
// # Two layers
//
// Link is the pure core: datagrams enter with Push and leave with Pop when they are due. It has no
// clock and no source of randomness except its seed: the same Config, seed and calls give the same
// result, byte for byte.
//
// NewListener and NewDialer add two Links to any transport: one for the datagrams that its
// Conns send, the other for those that they receive.
//
//	dialer := conditioner.NewDialer(udp.Dialer{}, conditioner.Options{
//		Send:    conditioner.Config{Latency: 40 * time.Millisecond, Loss: 0.05},
//		Receive: conditioner.Config{Latency: 40 * time.Millisecond, Jitter: 10 * time.Millisecond},
//		Seed:    1,
//	})
//
// Condition one end of a connection, or both ends with half of the latency and loss each. A
// server's Conn has one Link per direction, which all of its peers share as they share the line of
// a real server.
//
// # When a datagram moves
//
// There is no goroutine. Send and Receive both move the datagrams that are due, so a
// datagram leaves or arrives with the first call after its time. A game's loop calls
// Receive in every frame: times are rounded up to the next frame. Datagrams that are in
// flight when a Conn is closed leave at once, because no later call could send them; so
// the disconnect packets of a closing Conn are not delayed by the latency.
//
// # Limits
//
// A Link holds at most Config.Limit datagrams, and drops the newest beyond it. It
// allocates nothing once it has reached its greatest length.
package conditioner
