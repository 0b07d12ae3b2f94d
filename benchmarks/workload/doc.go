// Package workload is the work of the benchmark cases, independent of how it is done: the
// components, entities that move, players' inputs, and packets in memory. Cases and limits share
// it, so that both sides do the same work.
package workload
