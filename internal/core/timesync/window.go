package timesync

const (
	// maxBlocks is the most blocks in a window.
	maxBlocks = 128

	// rareBlocks is how many blocks in a row a spike may last to be tolerated. If it lasts longer,
	// its height counts as usual.
	rareBlocks = 4

	// rareShare is, while there are few blocks, the least number of all blocks for each block of a
	// tolerated spike.
	rareShare = 4

	// lastingBlocks is how many blocks in a row must have changed for the change to count as
	// lasting.
	lastingBlocks = 3

	// transition is by how much the first block after a change has to exceed the next ones to be
	// dropped, because it has samples of the time before the change too.
	transition = 4 * One

	// baseShare defines the base of a window: one in baseShare blocks is above it. The level
	// exceeds the base only by a limited amount, because higher samples are rare.
	baseShare = 8
)

// A window holds the samples of about the last half minute, in blocks of a quarter of a second, and
// finds a level that nearly all of them are below. Samples close together count as one event,
// because a stall of a connection makes many samples.
//
// Most samples change no block, and nearly all others change only the newest one. So the order of
// the blocks is kept from frame to frame, and all of them are examined only when a block begins,
// four times a second.
type window struct {
	length Phase // of a block, in local time
	keep   int   // number of blocks to keep
	reach  Phase // how far above the base the level may be in any case

	blocks [maxBlocks]block // oldest first
	n      int              // number of blocks
	drift  drift

	ranks    [maxBlocks]rank // the blocks by their highs, highest first
	ranked   int             // number of ranks in use
	sorted   bool            // ranks has all blocks, in order
	all      extremes
	measured bool // all is up to date
	answer   answer
}

// answer is the last result of level, which is valid until a block changes.
type answer struct {
	events int
	level  Phase
	holds  bool
}

// block is the extent of the samples in one period.
type block struct{ begin, low, high Phase }

// rank is one block in the order of highs. Its high is converted to the present time by the drift.
type rank struct {
	high  Phase
	block int32
}

// extremes are the lowest and the highest sample of a window.
type extremes struct{ low, high Phase }

func newWindow(length Phase, keep int, reach Phase) window {
	return window{length: length, keep: keep, reach: reach}
}

// addSample adds a sample at local time at.
func (w *window) addSample(at, sample Phase) {
	if w.n > 0 {
		if b := &w.blocks[w.n-1]; at-b.begin < w.length {
			w.extend(b, sample)
			return
		}
		w.forgetBeforeChange()
		w.drift.learn(w.blocks[:w.n], w.length)
	}
	w.dropOldBlocks(at)
	w.blocks[w.n] = block{begin: at, low: sample, high: sample}
	w.n++
	w.invalidate()
}

// invalidate invalidates all cached results.
func (w *window) invalidate() { w.sorted, w.measured, w.answer.holds = false, false, false }

// extend adds a sample to the newest block.
func (w *window) extend(b *block, sample Phase) {
	if sample < b.low {
		b.low, w.all.low = sample, min(w.all.low, sample)
		w.answer.holds = false
	}
	if sample > b.high {
		b.high, w.all.high = sample, max(w.all.high, sample)
		w.raise()
		w.answer.holds = false
	}
}

// raise moves the newest block up in the order of highs.
func (w *window) raise() {
	if !w.sorted {
		return
	}
	newest := int32(w.n - 1)
	i := 0
	for w.ranks[i].block != newest {
		i++
	}
	w.ranks[i].high = w.highOf(w.n - 1)
	w.lift(i)
}

// lift moves one rank up, past the lower ones.
func (w *window) lift(i int) {
	r := w.ranks[i]
	for ; i > 0 && w.ranks[i-1].high < r.high; i-- {
		w.ranks[i] = w.ranks[i-1]
	}
	w.ranks[i] = r
}

// dropOldBlocks makes room for a new block, and removes blocks that are too old.
func (w *window) dropOldBlocks(at Phase) {
	old := 0
	for old < w.n && (w.n-old >= w.keep || at-w.blocks[old].begin > 3*w.length*Phase(w.keep)/2) {
		old++
	}
	w.cut(old)
}

// cut removes the oldest blocks.
func (w *window) cut(blocks int) { w.keepOnly(blocks, w.n) }

// keepOnly removes all blocks except those from first to before end.
func (w *window) keepOnly(first, end int) {
	if first == 0 && end == w.n {
		return
	}
	copy(w.blocks[:], w.blocks[first:end])
	w.n = end - first
	w.invalidate()
	kept := 0
	for _, r := range w.ranks[:w.ranked] {
		if int(r.block) >= first && int(r.block) < end {
			w.ranks[kept] = rank{block: r.block - int32(first)}
			kept++
		}
	}
	w.ranked = kept
}

// shift adds by to all samples.
func (w *window) shift(by Phase) {
	for i := range w.blocks[:w.n] {
		w.blocks[i].low += by
		w.blocks[i].high += by
	}
	w.invalidate()
}

// forgetBeforeChange removes the blocks before a lasting change. A change is lasting if all of the
// last blocks are below all earlier ones by more than a tick, or above their base.
func (w *window) forgetBeforeChange() {
	before := w.n - lastingBlocks
	if before < 1 {
		return
	}
	older, last := extent(w.blocks[:before]), extent(w.blocks[before:w.n])
	if last.high < older.leastHigh-One {
		w.cut(before)
		w.dropTransition()
		return
	}
	if last.low > w.baseOf(before)+One {
		w.cut(before)
	}
}

// dropTransition removes the first block if the change happened during it, because it has samples
// from before the change.
func (w *window) dropTransition() {
	if w.blocks[0].high > extent(w.blocks[1:w.n]).high+transition {
		w.cut(1)
	}
}

// reached is the extent of several blocks.
type reached struct{ low, high, leastHigh Phase }

func extent(blocks []block) reached {
	r := reached{blocks[0].low, blocks[0].high, blocks[0].high}
	for _, b := range blocks[1:] {
		r.low, r.high, r.leastHigh = min(r.low, b.low), max(r.high, b.high), min(r.leastHigh, b.high)
	}
	return r
}

// highOf returns the high of block i, converted to the present time by the drift.
func (w *window) highOf(i int) Phase {
	b := &w.blocks[i]
	return b.high + w.drift.over(w.blocks[w.n-1].begin-b.begin)
}

// sort sorts ranks, highest first. It is nearly sorted already: a new block changes the order of
// the others only by the drift.
func (w *window) sort() {
	if w.sorted {
		return
	}
	for ; w.ranked < w.n; w.ranked++ {
		w.ranks[w.ranked].block = int32(w.ranked)
	}
	for i := range w.ranks[:w.n] {
		w.ranks[i].high = w.highOf(int(w.ranks[i].block))
		w.lift(i)
	}
	w.sorted = true
}

// base returns the level that only one block in baseShare exceeds.
func (w *window) base() Phase {
	w.sort()
	return w.ranks[w.n/baseShare].high
}

// baseOf returns the base of the first n blocks.
func (w *window) baseOf(n int) Phase {
	w.sort()
	above, i := n/baseShare, 0
	for ; ; i++ {
		if int(w.ranks[i].block) >= n {
			continue
		}
		if above == 0 {
			return w.ranks[i].high
		}
		above--
	}
}

// level returns the lowest level that the samples exceed in at most the given number of events, and
// in none of them for long. Rare events raise it only by a bounded amount.
func (w *window) level(events int) Phase {
	if a := &w.answer; !a.holds || a.events != events {
		level, base := w.exceeded(events), w.base()
		level = min(level, base+max(w.reach, 3*w.width()))
		*a = answer{events: events, level: max(level, w.lately()), holds: true}
	}
	return w.answer.level
}

// exceeded returns the lowest high that the blocks exceed in at most the given number of events,
// and in none of them for long.
func (w *window) exceeded(events int) Phase {
	w.sort()
	longest := min(rareBlocks, w.n/rareShare)
	level, above := w.ranks[0].high, runs{}
	for _, r := range w.ranks[:w.n] {
		if r.high < level { // above has all higher blocks
			if above.n > events {
				break
			}
			level = r.high
		}
		if above.addBlock(int(r.block)) > longest || above.blocks > events*longest {
			break
		}
	}
	return level
}

// runs is the set of blocks that exceed a level, in runs of consecutive ones.
type runs struct {
	bits   [maxBlocks/64 + 2]uint64 // with a free word at both ends, so that each block has neighbours
	n      int                      // number of runs
	blocks int                      // number of blocks
}

// addBlock adds a block and returns the length of its run.
func (r *runs) addBlock(block int) (length int) {
	at := block + 64
	r.bits[at/64] |= 1 << (at % 64)
	r.blocks++
	first, last := at, at
	for r.has(first - 1) {
		first--
	}
	for r.has(last + 1) {
		last++
	}
	r.n++
	if first < at {
		r.n--
	}
	if last > at {
		r.n--
	}
	return last - first + 1
}

func (r *runs) has(at int) bool { return r.bits[at/64]>>(at%64)&1 != 0 }

// lately returns the lowest sample of the last blocks. It is a lower bound of the level, because
// these blocks are too many to be a rare event.
func (w *window) lately() Phase { return extent(w.blocks[max(w.n-lastingBlocks, 0):w.n]).low }

// extremes returns the lowest and the highest sample.
func (w *window) extremes() extremes {
	if !w.measured {
		r := extent(w.blocks[:w.n])
		w.all, w.measured = extremes{r.low, r.high}, true
	}
	return w.all
}

// spread returns the difference between the highest and the lowest sample.
func (w *window) spread() Phase {
	e := w.extremes()
	return e.high - e.low
}

// width returns the difference between the base and the lowest block.
func (w *window) width() Phase { return w.base() - w.ranks[w.n-1].high }

// high returns the highest sample.
func (w *window) high() Phase { return w.extremes().high }

// low returns the lowest sample.
func (w *window) low() Phase { return w.extremes().low }
