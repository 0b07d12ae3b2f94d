// Package interest decides which entities matter to which clients. It stores the game's
// explicit settings for single pairs, the members of rooms, and the entities that visibility
// sources, such as a grid, let each client see.
//
// Clients and entities are rows: small dense numbers that the caller assigns and reuses. The
// first of these that applies to a pair decides:
//
//  1. the game's setting (Set): Shown, or Hidden;
//  2. the client owns the entity, which the caller passes;
//  3. both are in a room together;
//  4. a visibility source shows the entity (See).
//
// A pair to which none applies does not matter.
//
// # Guarantee
//
// Between two calls of ClearChanges, Changed names every pair with another result of Matters, whatever
// changed it, except for changes by Join, Leave and End, and of ownership. Pairs that end as
// they began may be among them. The cost of a change follows what it affects: for a client that
// enters a room, the entities of that room; for an entity, the clients there and the rooms that
// the entity is in already. An entity in a thousand rooms is possible, and costs a thousand
// steps per query.
//
// Nothing is allocated once the buffers have reached their greatest size. Their sizes follow
// the largest row of an entity (a bit for each client and setting), and the numbers of rooms
// and memberships, which have limits: MaxRooms and MaxMemberships.
//
// # Not guaranteed
//
// The caller manages rows: a row that is reused for another entity without End in between keeps
// the settings of the first.
//
// The methods of a Relevance are:
//   - rows: Join, Leave, End;
//   - commands: Set, AddClient, RemoveClient, AddEntity, RemoveEntity, AddSource, See;
//   - getters: Matters, Setting, InRoom, Holds, AppendEntities, Refused;
//   - changes: Changed, ChangedClients, Moves, and ClearChanges.
//
// A [Grid] is a visibility source that uses positions: Begin, Place, AddViewer and
// AddRoomViewer, Finish. The entities that it shows do not depend on its cells, the order of
// its calls, or the machine.
package interest
