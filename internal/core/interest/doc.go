// Package interest decides which entities matter to which clients: it keeps what a game
// says of single pairs, who is in which room, and what each source of sight, such as a
// grid, lets a client see.
//
// Clients and entities are rows: small dense numbers that the caller gives out and takes
// back. Of what says something about a pair, the first counts:
//
//  1. the game's word (Say): Shown, or Hidden;
//  2. the client owns the entity, which the caller knows;
//  3. both are in a room together;
//  4. a source of sight shows it (See).
//
// A pair of which nothing says anything does not matter.
//
// # Guarantee
//
// Between two calls of Settle, Changed names every pair whose Matters is not what it was,
// whichever way it came to that, but for what Join, Leave and End undo at a stroke, and
// for ownership. Pairs that end as they began may be among them. What a change costs
// follows what it touches: a client that enters a room costs the entities of that room,
// an entity the clients there and the rooms that the entity is in already. An entity in a
// thousand rooms works, and costs a thousand steps wherever it is asked about.
//
// Nothing is allocated once the buffers have grown to what was there at most. Their sizes
// follow the largest row of an entity (a bit for each client and what it was told of), and
// rooms and memberships, which have limits: MaxRooms and MaxMemberships.
//
// # Not guaranteed
//
// Rows are the caller's: a row that is given to another entity without End in between
// inherits what was said of the first.
//
// The methods of a Relevance come in families:
//   - rows: Join, Leave, End;
//   - commands: Say, AddClient, RemoveClient, AddEntity, RemoveEntity, Add, See;
//   - getters: Matters, Said, InRoom, Holds, AppendEntities, Refused;
//   - what changed: Changed, ChangedClients, Moves, and Settle, which begins anew.
//
// A [Grid] is a source of sight that goes by positions: Begin, Place, Look and LookFor,
// Finish. Which entities it shows does not depend on its cells, the order of its calls, or
// the machine.
package interest
