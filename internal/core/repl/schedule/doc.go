// Package schedule decides which updates a peer is sent in a tick, and in which order. It does not write them, and it
// does not decide about actions: package sender does both.
//
// A [Planner] makes the plan of one peer, which is a list of steps. A step is a whole run that is copied, or a list of
// updates of single groups. Predicted groups come first and together (predicted.go). Then come public groups
// that no run has, by handle, and then runs and private groups, each continuing where the last tick ended (plan.go). A run
// is copied if the baselines of the peer allow it (run_baselines.go).
//
// If a limit has no room for all due updates (short.go, shorten.go), the planner chooses the most urgent ones (choose.go, urgency.go).
// The urgency of a group is its priority times the number of ticks for which it has waited (rank.go). Groups with a bound
// on that time are sent before it is over, as far as there is room, and are reported otherwise (bound.go). A group with
// an interval becomes due once per interval (pace.go).
//
// Once per tick, and not for two peers at once: MakeDue, then Prepare, which encodes, then Limit if there is one. After
// that the caller writes Steps from Next on. RequeueUnsent, in the next tick and before
// Encoder.Begin, makes due again what it did not write.
package schedule
