package packet

import "time"

// MaxAckDelay is the longest Header.AckDelay. It stands for any longer one, too, from which no
// round trip can be measured.
const MaxAckDelay = 252 * time.Millisecond

// delayUnit is the unit of AckDelay on the wire, where it takes the six bits that the kind leaves
// free in its byte. So it is exact to 2 ms.
const delayUnit = MaxAckDelay / (1<<(8-kindBits) - 1)

// delayCode returns the code that is nearest to a delay.
func delayCode(delay time.Duration) byte {
	return byte(min(max(delay, 0)+delayUnit/2, MaxAckDelay) / delayUnit)
}

// delayOf returns the delay that a code stands for.
func delayOf(code byte) time.Duration { return time.Duration(code) * delayUnit }
