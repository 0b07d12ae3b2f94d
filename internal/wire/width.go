package wire

import (
	"fmt"
)

// Width is the size of a value on the wire, in words.
func (p *Plan) Width() string {
	switch {
	case p == nil:
		return "unfit"
	case p.codec() != nil:
		return "by codec"
	case p.lists:
		return fmt.Sprintf("up to %d bits", p.maxBits)
	default:
		return fmt.Sprintf("%d bits", p.maxBits)
	}
}
