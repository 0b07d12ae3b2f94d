package timesync

import "time"

const (
	// delayBuckets is the number of buckets of a delay histogram.
	delayBuckets = 512

	// bucketsPerInterval is the least number of buckets that are as long as a send interval, unless
	// each of them would be shorter than leastBucket.
	bucketsPerInterval = 8
	leastBucket        = 2 * time.Millisecond

	// delayPeriod is the length of a period, if delaySends send intervals are not longer.
	delayPeriod = 10 * time.Second
	delaySends  = 100

	// starvedParts is the reciprocal of the share of frames for which a delay need not suffice. The
	// share is less than half a percent, because the samples of the last seconds do not tell
	// exactly what the next ones need.
	starvedParts = 500
)

// delayHistogram counts samples by their needed delays. The needed delay of a sample is the delay
// with which the sample was just there when its entity was shown at the time of the sample before
// it: local time of the last frame without the sample, minus the tick of the sample before it.
//
// The histogram has the samples of the present period and of the one before it. So it includes
// longer delays at once, and forgets them after one to two periods.
type delayHistogram struct {
	width  int   // width of a bucket, as a power of two
	period Phase // length of a period
	low    Phase // the lower end of the first bucket
	begin  Phase // local time of the begin of the present period
	some   bool  // low and begin are set

	present, before delayCounts
}

// delayCounts are the samples of a period. Samples below the first bucket are in the first one, and
// those above the last one in the last one.
type delayCounts struct {
	buckets [delayBuckets]uint32
	ticks   uint64 // sum of the ticks between each sample and the sample before it
}

// place says where in a period a sample is counted.
type place struct {
	counts *delayCounts // nil if the sample is not counted
	bucket Phase
	number uint32 // to add to the bucket: 1, or 0 if no frame needed the sample
	ticks  uint64 // between the sample and the sample before it
}

// count counts a sample.
func (p *place) count() {
	p.counts.buckets[p.bucket] += p.number
	p.counts.ticks += p.ticks
}

// place returns where a sample is counted.
func (h *delayHistogram) place(at, needed Phase) place {
	if !h.some {
		h.low, h.begin, h.some = needed-delayBuckets/2<<h.width, at, true
	}
	return place{counts: &h.present, bucket: bucketIn((needed - h.low) >> h.width), number: 1}
}

// bucketIn returns the bucket that is nearest to i.
func bucketIn(i Phase) Phase { return min(max(i, 0), delayBuckets-1) }

// beginPeriod begins a period if the present one is over. It moves the buckets so that the delay is
// in the middle of their range.
func (h *delayHistogram) beginPeriod(at, delay Phase) {
	if !h.some || at-h.begin < h.period {
		return
	}
	by := (delay-h.low)>>h.width - delayBuckets/2
	h.before = delayCounts{ticks: h.present.ticks}
	for i, n := range h.present.buckets {
		h.before.buckets[bucketIn(Phase(i)-by)] += n
	}
	h.present, h.begin = delayCounts{}, at
	h.low += by << h.width
}

// first reports whether the first period is not over yet, or there was no sample in the one before.
func (h *delayHistogram) first() bool { return h.before.ticks == 0 }

// delay returns the smallest delay that suffices in nearly all frames: the time by which samples
// exceed it is one part in starvedParts of the time between the samples. frame is the length of a
// frame. ok is false if there are no samples.
func (h *delayHistogram) delay(frame Phase) (delay Phase, ok bool) {
	allowed := Phase(h.present.ticks+h.before.ticks) * (One / starvedParts)
	var above, starved Phase // number of samples above a bucket, and by how much they exceed it
	for i := Phase(delayBuckets - 1); i >= 0; i-- {
		above += Phase(h.present.buckets[i]) + Phase(h.before.buckets[i])
		// Each sample that exceeds the delay starves whole frames, which is half a frame more.
		rest := allowed - starved - above*frame/2
		if rest < above<<h.width {
			return h.low + (i+1)<<h.width - max(rest, 0)/above, true
		}
		starved += above << h.width
	}
	return h.low, above > 0
}
