package protocol

// HashOfPlan is what an entry holds of a plan.
func HashOfPlan(p *Plan) uint64 { return hashOf(p.describe) }
