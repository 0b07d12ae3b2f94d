// Package interest decides which entities are relevant to which clients. It stores the game's
// explicit settings for pairs of a client and an entity, the members of rooms, and the entities
// that visibility sources, such as a grid, show to each client.
//
// Clients and entities are rows: small numbers that the caller assigns and reuses. The first of
// these rules that applies to a pair decides:
//
//  1. the game's setting (Set) is Shown or Hidden;
//  2. the client owns the entity, as told by the caller;
//  3. both are in the same room;
//  4. a visibility source shows the entity (See).
//
// If none applies, the entity is not relevant to the client.
//
// # Guarantee
//
// Between two calls of ClearChanges, Changed has every pair for which the result of Matters has
// changed, whatever the cause, except for changes by Join, Leave and End, and of ownership. It may
// also have pairs for which the result is the same as at first. The cost of a change depends on
// what it affects: for a client that enters a room, on the entities in that room; for an entity, on
// the clients in its new room and on the rooms that the entity is in already. An entity can be in a
// thousand rooms, but then each query for it takes a thousand steps.
//
// Nothing is allocated after the buffers have reached their greatest size. That size depends on the
// largest row of an entity (a bit for each client and setting) and on the numbers of rooms and
// memberships, which are limited by MaxRooms and MaxMemberships.
//
// # Not guaranteed
//
// The caller manages the rows: if a row is reused for another entity without a call of End, it
// keeps the settings of the first one.
//
// The methods of a Relevance are:
//   - rows: Join, Leave, End;
//   - commands: Set, AddClient, RemoveClient, AddEntity, RemoveEntity, AddSource, See;
//   - getters: Matters, Setting, InRoom, Holds, AppendEntities, Refused;
//   - changes: Changed, ChangedClients, Moves, and ClearChanges.
//
// A [Grid] is a visibility source that uses positions: Begin, Place, AddViewer and AddRoomViewer,
// Finish. Which entities it shows does not depend on its cells, the order of the calls, or the
// machine.
package interest
