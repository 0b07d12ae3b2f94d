// Package netsim runs a whole network in one process on one virtual clock: a server, its clients,
// and a line to each client, which can be as bad as a test needs. Games use it in their own tests.
//
// # Contents
//
//   - Sim is a server or host and its clients, each with its own world. Run and RunUntil advance
//     time; ExpectEqual compares the worlds; Watch checks them after every frame.
//   - Peer is a client of a Sim. A test can degrade, cut and restore its line, make its clock
//     drift, freeze its frames or change its frame rate. Local finds its replica of an entity of
//     the server.
//   - Script is a test written as a list of commands, with the trace that each is expected to
//     leave. Verbs implement the commands, and GameScene runs them against a Sim.
//   - Shrink reduces a long failing script, such as a randomly generated one, to a short one. Try
//     runs a test that may fail and returns the failure.
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
// # Shrinking a long failure
//
// A randomised test first writes its random actions as the commands of a script. Its verbs are made
// lenient, so that every subset of the commands is a valid script:
//
//	fails := func(steps []string) bool {
//		return netsim.Try(t.Name(), func(t *netsim.Trial) {
//			script, err := netsim.ParseScript("steps", strings.Join(steps, "\n"))
//			if err == nil {
//				_, err = script.Run(newScene(t).Verbs(types...).Lenient())
//			}
//			if err != nil {
//				t.Fatalf("%v", err)
//			}
//		}) != nil
//	}
//	if fails(steps) {
//		t.Errorf("this fails:\n%s", strings.Join(netsim.Shrink(steps, 500, fails), "\n"))
//	}
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
