// Package event holds the events that a game reads: typed queues, one for each kind of event,
// in the [Hub] of a world.
//
// The engine raises an event through a [ComponentEvents], [MessageEvents], [ResponseEvents] or
// [ResourceEvents], which do not know the game's types. While no system reads a kind of event,
// raising it costs one comparison. Each reader gets each event once, in whichever stage it runs. An
// event is dropped when all readers have had a chance to read it; see [Queue]. In a replayed tick,
// systems read only the inputs of that tick, and no other events.
package event
