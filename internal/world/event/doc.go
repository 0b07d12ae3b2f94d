// Package event holds the events that a game reads: typed queues, one for each kind of event,
// in the [Hub] of a world.
//
// The engine raises an event through a [ComponentEvents], [MessageEvents], [ResponseEvents] or
// [ResourceEvents], which do not know the game's types. While no system reads a kind of event,
// raising it costs one comparison. Each reader gets each event once, in whichever stage it
// runs; events of a frame end at Receive of the next. A replay of ticks raises no events.
package event
