// Package input connects the inputs of a game to the input streams of internal/core/input: it
// sends a client's inputs, applies them on the server at their ticks, relays them to other
// clients, and hands them out again when ticks are replayed.
package input
