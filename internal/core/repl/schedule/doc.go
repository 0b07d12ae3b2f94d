// Package schedule decides, for one peer and tick, which updates are sent, and in which order.
//
// A [Planner] makes a plan: steps, each a whole run that is copied, or updates of single groups. Predicted groups go first
// and together (predicted.go); then come public groups, and private ones, each from where the last tick left off
// (plan.go). A run is taken whole if the peer's baselines allow it (run_bases.go).
//
// If a limit leaves no room for all (short.go, shorten.go), the most urgent updates are chosen (choose.go): a group is as
// urgent as its priority, times the ticks for which it has waited (rank.go). Groups with a bound on that time go before it
// is over, as far as there is room (bound.go). Groups with an interval become due once per interval (pace.go).
package schedule
