package timesync

const (
	// maxDrift is the greatest assumed drift between two clocks, in millionths. Quartz is
	// within 100, a loop that is paced by something else within a few thousand.
	maxDrift = 5000

	// driftBlocks is the least number of blocks in each of two halves from which drift is measured,
	// and driftSpan the least distance between the halves, in blocks.
	driftBlocks = 8
	driftSpan   = 32

	// firstMemory and driftMemory are the numbers of measurements over which the drift is smoothed,
	// at first and later. Margins are whole ticks, so single measurements show the drift only in
	// steps.
	firstMemory = 8
	driftMemory = 256
)

// drift is the rate at which samples rise because one clock runs faster than the other. It is used
// to convert older samples to the present time.
type drift struct {
	millionths Phase // the rate in millionths, times One
	learned    Phase // number of measurements, up to driftMemory-firstMemory; of type Phase for the calculation
}

// learn measures the drift between the older and the newer half of the blocks. It compares the
// lowest sample of each block, because that one was not delayed.
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

// over returns by how much samples rise in the given time.
func (d *drift) over(time Phase) Phase { return d.millionths * (time >> 16) / 1e6 }
