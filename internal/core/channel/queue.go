package channel

// queueShrink is the ring size above which a queue frees its ring when it becomes empty.
const queueShrink = 1024

// queue holds a channel's outgoing messages by their number. Its length is bounded by the limits on
// cost, because every message costs at least messageOverhead.
type queue struct {
	ring  []*message // the message with number n is at n modulo its length, which is a power of two
	front MessageID  // every message with a lower number has been removed
	back  MessageID  // number of the next message
	count int        // number of messages in the queue
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

// removeMessage removes a message. If it is the first one, front moves up to the next that is still
// in the queue.
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
