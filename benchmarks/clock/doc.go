// Package clock is the benchmark case of a client's clock: whole games in simulated networks, and
// the page docs/CLOCK.md that shows how they went. It also has a simulation of moving entities, for
// the page docs/TIMELINES.md.
package clock
