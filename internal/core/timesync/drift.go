package timesync

const (
	// maxDrift bounds by how much two clocks run apart, in millionths. Quartz is good to
	// 100, a loop that is paced by something else to a few thousand.
	maxDrift = 5000

	// driftBlocks is over how many blocks it is measured at least, and driftSpan how far
	// apart the halves that are compared have to lie, in lengths of a block.
	driftBlocks = 8
	driftSpan   = 32

	// firstMemory and driftMemory are over how many measurements it is smoothed, to begin
	// with and later: a margin in whole ticks shows it in steps.
	firstMemory = 8
	driftMemory = 256
)

// drift is by how much samples rise with time, since one clock runs faster than the other.
// Old samples are seen as they would be now.
type drift struct {
	millionths Phase // times One
	learned    Phase // times that it was measured, up to driftMemory
}

// learn measures it between the older and the newer half of the blocks. The lowest sample
// of a block is one that nothing got into the way of.
func (d *drift) learn(blocks []block, length Phase) {
	n := len(blocks) / 2
	if n < driftBlocks {
		return
	}
	var low, begin Phase
	for i := range n {
		older, newer := &blocks[i], &blocks[len(blocks)-n+i]
		low += newer.low - older.low
		begin += newer.begin - older.begin
	}
	if begin < driftSpan*length*Phase(n) {
		return
	}
	const limit = 2 * maxDrift
	if low > begin/(1e6/limit) || low < -begin/(1e6/limit) {
		return
	}
	measured := low * 1e6 / (begin >> 16)
	d.learned = min(d.learned+1, driftMemory-firstMemory)
	d.millionths += (measured - d.millionths) / (firstMemory + d.learned)
	d.millionths = min(max(d.millionths, -maxDrift*One), maxDrift*One)
}

// over returns by how much a sample rises in a time.
func (d *drift) over(time Phase) Phase { return d.millionths * (time >> 16) / 1e6 }
