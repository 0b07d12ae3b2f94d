package packet

import "time"

// MaxAckDelay is the longest Header.AckDelay. It stands for any longer one, too, from which no
// round trip can be measured.
const MaxAckDelay = 252 * time.Millisecond

// AckDelayStep is the unit of AckDelay on the wire, where it takes the six bits that the kind leaves
// free in its byte. So it is exact to 2 ms.
const AckDelayStep = MaxAckDelay / (1<<(8-kindBits) - 1)

// delayCode returns the code that is nearest to a delay.
func delayCode(delay time.Duration) byte {
	return byte(min(max(delay, 0)+AckDelayStep/2, MaxAckDelay) / AckDelayStep)
}

// delayOf returns the delay that a code stands for.
func delayOf(code byte) time.Duration { return time.Duration(code) * AckDelayStep }
