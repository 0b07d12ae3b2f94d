package channel

// queueShrink is the ring size above which an empty queue frees its memory.
const queueShrink = 1024

// queue holds a channel's outgoing messages by their number. Its length is bounded by the limits on
// cost, because every message costs at least messageOverhead.
type queue struct {
	ring  []*message // by number modulo its length, a power of two
	front MessageID  // every message below has been removed
	back  MessageID  // number of the next message
	count int        // messages in it
}

func (q *queue) at(seq MessageID) *message { return q.ring[seq&MessageID(len(q.ring)-1)] }

func (q *queue) push(msg *message) {
	if q.back-q.front >= MessageID(len(q.ring)) {
		q.grow()
	}
	msg.seq = q.back
	q.ring[q.back&MessageID(len(q.ring)-1)] = msg
	q.back++
	q.count++
}

func (q *queue) grow() {
	old := *q
	q.ring = make([]*message, max(16, 2*len(old.ring)))
	for seq := old.front; seq < old.back; seq++ {
		q.ring[seq&MessageID(len(q.ring)-1)] = old.at(seq)
	}
}

// removeMessage removes a message; the front moves past the gap once it gets there.
func (q *queue) removeMessage(seq MessageID) {
	q.ring[seq&MessageID(len(q.ring)-1)] = nil
	q.count--
	for q.front < q.back && q.at(q.front) == nil {
		q.front++
	}
	if q.count == 0 && len(q.ring) > queueShrink {
		q.ring = nil
	}
}
