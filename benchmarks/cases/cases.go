package cases

import (
	"github.com/entangle-ecs/entangle/benchmarks/clock"
	"github.com/entangle-ecs/entangle/benchmarks/report"
)

// All lists the variants of all cases. Each case has a file of its own.
func All() []report.Variant {
	var all []report.Variant
	for _, of := range []func() []report.Variant{detectVariants, encodeVariants, tickVariants, viewVariants, fanOutVariants, dueVariants, memoryVariants, receiveVariants, idleVariants, joinVariants, interestVariants, cappedVariants, heldVariants, hostVariants, clock.Variants, inputVariants, MessageVariants, visualVariants, snapshotVariants, udpVariants, cubesVariants, rollbackVariants, spawnVariants, despawnVariants, churnVariants, largeVariants, clientVariants, serverVariants, prespawnVariants, rewindVariants} {
		all = append(all, of()...)
	}
	return all
}
