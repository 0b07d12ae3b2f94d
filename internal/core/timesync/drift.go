package timesync

const (
	// maxDrift is the greatest assumed drift between two clocks, in millionths. Quartz is
	// within 100, a loop that is paced by something else within a few thousand.
	maxDrift = 5000

	// driftBlocks is the least number of blocks to measure drift, and driftSpan the least
	// distance of the compared halves, in blocks.
	driftBlocks = 8
	driftSpan   = 32

	// firstMemory and driftMemory are the numbers of measurements over which the drift is
	// smoothed, at first and later. Margins are whole ticks, so drift shows in steps.
	firstMemory = 8
	driftMemory = 256
)

// drift is the rate at which samples rise, because one clock runs faster than the other. It is used
// to convert old samples to the present.
type drift struct {
	millionths Phase // the rate in millionths, times One
	learned    Phase // counts measurements up to driftMemory-firstMemory; a Phase, to calculate with it
}

// learn measures drift between the older and the newer half of the blocks. The lowest sample of
// a block is one that was not delayed.
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

// over returns by how much a sample rises in the given time.
func (d *drift) over(time Phase) Phase { return d.millionths * (time >> 16) / 1e6 }
