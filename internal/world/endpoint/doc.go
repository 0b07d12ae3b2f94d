// Package endpoint joins connection layers, peers and the world: [Server] and [Client] are the
// engines of the types of package plugin, and [Local] is the player of a host, who plays in the
// server's own world.
//
// Server reads what clients sent within their budgets, assembles packets with one or more
// workers, and disconnects a client that sends malformed bytes, costs too much, or is too slow
// to receive. Client does the same for its one connection.
package endpoint
