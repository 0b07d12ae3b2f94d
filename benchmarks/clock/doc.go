// Package clock is the benchmark case of a client's clock: whole games in simulated networks, and
// the page docs/CLOCK.md that shows how they went.
package clock
