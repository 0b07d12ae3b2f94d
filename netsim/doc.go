// Package netsim runs a whole network in one process on one virtual clock: a server, its clients,
// and a line to each client, which can be as bad as a test needs. Games use it in their own tests.
//
// # Contents
//
//   - Sim is a server or host and its clients, each with its own world. Run and RunUntil advance
//     time; ExpectEqual compares the worlds; Watch checks them after every frame.
//   - Peer is a client of a Sim. A test can degrade, cut and restore its line, make its clock
//     drift, freeze its frames, change its frame rate or press its player's inputs. Local finds its
//     replica of an entity of the server.
//   - Try runs a test that may fail and returns the failure, for a search over seeds.
//   - CheckDeterminism finds causes of a simulation that computes different results the next time
//     or on another machine: docs/DETERMINISM.md.
//   - Network is the transport below, on a Clock that stands still until it is advanced. Every
//     player has a Line, with a Link that describes its behaviour in each direction.
//
// # Testing a game
//
// A game can be tested if the functions that make its server and clients take their configs as
// arguments. The simulation fills the configs in:
//
//	func TestABoxArrives(t *testing.T) {
//		sim := netsim.New(t, netsim.Config{Link: netsim.Symmetric(conditioner.Config{
//			Latency: 80 * time.Millisecond, Loss: 0.2,
//		})})
//		server := newServer(sim.ServerConfig(newProtocol()))
//		sim.AddServer(server, server)
//		client := newClient(sim.ClientConfig(newProtocol()))
//		peer := sim.AddClient(1, client, client)
//
//		if !sim.RunUntil(5*time.Second, peer.Connected) {
//			t.Fatal("no connection")
//		}
//		sim.Run(5 * time.Second)
//		sim.ExpectEqual()
//	}
//
// The file example_test.go contains the complete test. If a server or client is part of a larger
// type, pass that type as the app: any type with the methods Initialize, Update and Finalize of a
// system, or, through Model, a model that owns its world.
//
// # Guarantees
//
// A run is determined by its seed and the calls of the test: the same seed and the same calls give
// the same datagrams at the same times. A failing test logs its seed and the command that repeats
// the run. Nothing sleeps: an hour of play takes only the time to compute it. Server and clients
// run their frames at different moments, which the seed determines.
//
// # Limits
//
// The simulation has no sockets and no threads, so it finds neither bugs that depend on the
// operating system nor data races. A game that reads the real time, or uses unseeded random
// numbers, is not repeatable.
package netsim
