package timesync

const (
	// maxBlocks is how many blocks a window has at most.
	maxBlocks = 128

	// rareBlocks is how many blocks in a row a spike can take and still count as one
	// that need not be met again. What lasts longer is how things are now.
	rareBlocks = 4

	// rareShare is the share of blocks that a spike may be, where there are few: one in so
	// many.
	rareShare = 4

	// lastingBlocks is how many whole blocks in a row make a change last.
	lastingBlocks = 3

	// transition is by how much the first block after a change has to be above the next
	// ones to be none of them.
	transition = 4 * One

	// baseShare is the share of blocks that may be above the base: one in so many.
	// Beyond the base a window goes only so far, since what is above it is rare.
	baseShare = 8
)

// A window holds the samples of the last half minute or so, by blocks of a quarter of a
// second, and finds a level that nearly all of them stay below. What comes close together
// counts once: a stall of a connection makes many samples and is one event.
//
// Most samples change nothing, and of the others nearly all change one block. So the order
// of the blocks is kept from frame to frame, and only a new block, four times a second, has
// all of them looked at.
type window struct {
	length Phase // of a block, in local time
	keep   int   // blocks
	reach  Phase // how far above the base the level may be in any case

	blocks [maxBlocks]block // the oldest first
	n      int
	drift  drift

	ranks    [maxBlocks]rank // the first ranked blocks, the highest first
	ranked   int
	sorted   bool // ranks has all blocks, in order
	all      extremes
	measured bool // all is so
	answer   answer
}

// answer is the level that was found last. It holds until a block changes.
type answer struct {
	events int
	level  Phase
	holds  bool
}

// block is the extent of the samples of a stretch of time.
type block struct{ begin, low, high Phase }

// rank is a block's place among the highs, and its high as it would be now.
type rank struct {
	high  Phase
	block int32
}

// extremes are the lowest and the highest sample.
type extremes struct{ low, high Phase }

func newWindow(length Phase, keep int, reach Phase) window {
	return window{length: length, keep: keep, reach: reach}
}

// add takes a sample at the local time at.
func (w *window) add(at, sample Phase) {
	if w.n > 0 {
		if b := &w.blocks[w.n-1]; at-b.begin < w.length {
			w.extend(b, sample)
			return
		}
		w.forget()
		w.drift.learn(w.blocks[:w.n], w.length)
	}
	w.drop(at)
	w.blocks[w.n] = block{begin: at, low: sample, high: sample}
	w.n++
	w.changed()
}

// changed says that nothing that was found out holds any more.
func (w *window) changed() { w.sorted, w.measured, w.answer.holds = false, false, false }

// extend takes a sample into the newest block.
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

// raise moves the newest block up to where its high belongs.
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

// lift moves one rank up, beyond those that are lower.
func (w *window) lift(i int) {
	r := w.ranks[i]
	for ; i > 0 && w.ranks[i-1].high < r.high; i-- {
		w.ranks[i] = w.ranks[i-1]
	}
	w.ranks[i] = r
}

// drop makes room, and lets go of what is too old.
func (w *window) drop(at Phase) {
	old := 0
	for old < w.n && (w.n-old >= w.keep || at-w.blocks[old].begin > 3*w.length*Phase(w.keep)/2) {
		old++
	}
	w.cut(old)
}

// cut takes the oldest blocks out.
func (w *window) cut(blocks int) { w.keepOnly(blocks, w.n) }

// keepOnly takes all blocks out but those from first to before end.
func (w *window) keepOnly(first, end int) {
	if first == 0 && end == w.n {
		return
	}
	copy(w.blocks[:], w.blocks[first:end])
	w.n = end - first
	w.changed()
	kept := 0
	for _, r := range w.ranks[:w.ranked] {
		if int(r.block) >= first && int(r.block) < end {
			w.ranks[kept] = rank{block: r.block - int32(first)}
			kept++
		}
	}
	w.ranked = kept
}

// shift moves all samples.
func (w *window) shift(by Phase) {
	for i := range w.blocks[:w.n] {
		w.blocks[i].low += by
		w.blocks[i].high += by
	}
	w.changed()
}

// forget takes out what was before a change that lasts: when all of the last blocks are
// below all of the others by more than a tick, or all their samples above what was usual.
func (w *window) forget() {
	before := w.n - lastingBlocks
	if before < 1 {
		return
	}
	older, last := extent(w.blocks[:before]), extent(w.blocks[before:w.n])
	if last.high < older.leastHigh-One {
		w.cut(before)
		w.settle()
		return
	}
	if last.low > w.baseOf(before)+One {
		w.cut(before)
	}
}

// settle takes out the block in which a change came, which has of both.
func (w *window) settle() {
	if w.blocks[0].high > extent(w.blocks[1:w.n]).high+transition {
		w.cut(1)
	}
}

// reached is how far blocks go.
type reached struct{ low, high, leastHigh Phase }

func extent(blocks []block) reached {
	r := reached{blocks[0].low, blocks[0].high, blocks[0].high}
	for _, b := range blocks[1:] {
		r.low, r.high, r.leastHigh = min(r.low, b.low), max(r.high, b.high), min(r.leastHigh, b.high)
	}
	return r
}

// highOf returns the high of block i, as it would be now.
func (w *window) highOf(i int) Phase {
	b := &w.blocks[i]
	return b.high + w.drift.over(w.blocks[w.n-1].begin-b.begin)
}

// sort puts the blocks in order, the highest first. They are nearly so already: a new block
// moves the others by what the clocks run apart, which is little.
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

// base is the level that only one block in so many is above.
func (w *window) base() Phase {
	w.sort()
	return w.ranks[w.n/baseShare].high
}

// baseOf is that of the first n blocks.
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

// level returns the lowest level that the samples exceed at most in so many events, none
// of which lasts. What is rare moves it only so far.
func (w *window) level(events int) Phase {
	if a := &w.answer; !a.holds || a.events != events {
		level, base := w.exceeded(events), w.base()
		level = min(level, base+max(w.reach, 3*w.width()))
		*a = answer{events: events, level: max(level, w.lately()), holds: true}
	}
	return w.answer.level
}

// exceeded returns the lowest high that the blocks exceed at most in so many events, none
// of which lasts.
func (w *window) exceeded(events int) Phase {
	w.sort()
	longest := min(rareBlocks, w.n/rareShare)
	level, above := w.ranks[0].high, runs{}
	for _, r := range w.ranks[:w.n] {
		if r.high < level { // all that are higher are in above
			if above.n > events {
				break
			}
			level = r.high
		}
		if above.add(int(r.block)) > longest || above.blocks > events*longest {
			break
		}
	}
	return level
}

// runs counts how often in a row blocks exceed a level, from the highest down.
type runs struct {
	bits   [maxBlocks/64 + 2]uint64 // of a block and one more, so that each has neighbours
	n      int
	blocks int
}

// add takes a block in, and returns how long the run is that it belongs to.
func (r *runs) add(block int) (length int) {
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

// lately is what all of the last samples are above, which is not rare.
func (w *window) lately() Phase { return extent(w.blocks[max(w.n-lastingBlocks, 0):w.n]).low }

// extremes returns the lowest and the highest sample.
func (w *window) extremes() extremes {
	if !w.measured {
		r := extent(w.blocks[:w.n])
		w.all, w.measured = extremes{r.low, r.high}, true
	}
	return w.all
}

// spread returns how far apart all samples are.
func (w *window) spread() Phase {
	e := w.extremes()
	return e.high - e.low
}

// width returns how far apart the base and the least of the blocks are.
func (w *window) width() Phase { return w.base() - w.ranks[w.n-1].high }

// high returns the highest sample.
func (w *window) high() Phase { return w.extremes().high }

// low returns the lowest sample.
func (w *window) low() Phase { return w.extremes().low }
