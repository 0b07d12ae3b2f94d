// Package oracle compares the worlds of clients with the world of their server, by the rules that
// packages components and plugin document. It computes in the simplest way what each client should
// have, and shares no code with the replication that it checks.
//
//   - A Snapshot is the state of the server. It finds the replicas of entities, compares one client
//     with the state that it should have, and lists the changes up to a later Snapshot.
//   - A Watch records the server after every frame, and checks at any time that each client has the
//     state of some tick, and that it shows interpolated entities as they were in the past.
//   - Predictions compare the predicted states of clients with the later states of the server.
//
// All of them return the first difference as an error, in which "its" stands for the client.
package oracle
