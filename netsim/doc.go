// Package netsim runs a whole network in one process and on one virtual clock: a
// server, its clients, and a line to each of them, as bad as a test wants it. A
// game tests itself with it.
//
// # What is here
//
//   - Sim is a server or host and its clients, each with a world of its own. Run and
//     RunUntil let time pass; ExpectEqual compares the worlds; Watch checks them
//     after every frame.
//   - Peer is a client of a Sim: its line can be made worse, cut and restored, its clock
//     drifts, its frames stop for a while or come at a rate of their own, and Local finds
//     its copy of an entity of the server.
//   - Script is a test written as a conversation, with the trace that it is
//     expected to leave; verbs say what its commands do, GameScene acts them out in
//     a Sim.
//   - Shrink makes a short script of a long one that fails, such as one that chance
//     has written. Try runs a test that may fail, to see whether it does.
//   - CheckDeterminism finds what makes a game's simulation come out otherwise the next
//     time, or on another machine: docs/DETERMINISM.md.
//   - Network is the transport below, on a Clock that stands still until it is
//     advanced. Every player has a Line, with a Link that says how it behaves in
//     each direction.
//
// # How a game is tested
//
// A game can be tested if what makes its server and its clients takes their
// configs as arguments. The simulation fills them in:
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
// The file example_test.go has the whole of such a test. Where a server or client
// is part of something larger, that is passed as the app: whatever has the methods
// Initialize, Update and Finalize of a system, or, through Model, of a model that
// has a world of its own.
//
// # How a long failure becomes a short one
//
// What chance is to do in a test, it first writes down as the commands of a script.
// Its verbs are made lenient, so that every part of the script is one:
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
// # What it guarantees
//
// A run follows from its seed and from what is called: the same seed and the same
// calls give the same datagrams at the same times. A test that fails logs its seed,
// and the command that repeats the run. Nothing sleeps: an hour of play takes as
// long as computing it. Server and clients run their frames at moments of their
// own, which the seed decides.
//
// # What it does not
//
// It has no sockets and no threads, so it finds neither what depends on the
// operating system nor races. A game that asks the real time, or draws from a
// source that has no seed, does not repeat.
package netsim
