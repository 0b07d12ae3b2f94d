// Package endpoint joins connection layers, peers and the world: [Server] and [Client] are the
// engines of the types of package plugin, and [Local] is the player of a host, who plays in the
// server's own world.
//
// Server reads what clients sent within their budgets, assembles packets with one or more
// workers, and disconnects a client that sends malformed bytes, costs too much, or is too slow
// to receive. Client does the same for its one connection.
//
// # Where things are
//
// A server: server.go, server_client.go (one connection), server_send.go, assembly.go (packets),
// layer.go, peer_indexes.go, refusals.go, owned.go. Its limits: caps.go (bytes), intake.go (work). A
// client: client.go, batch.go (the payloads of a frame), quality.go. Why connections end: ended.go.
//
// The player of a host: local.go, local_server.go, local_post.go, local_resources.go, local_view.go,
// local_events.go.
//
// For statistics, tests and tools: stats.go, load.go, overdue.go, inspect.go, mirror.go.
package endpoint
