package netsim

import (
	"fmt"
	"math"

	"github.com/entangle-ecs/entangle/components"
)

// group NAME NUMBER moves an entity of the server's world, which has components.Replicate, to
// another group. 0 is a group of its own.
func (c *cast) group(args *Args, _ *Trace) error {
	m, err := c.replicated(args)
	if err != nil {
		return err
	}
	n, err := args.Int64()
	if err != nil {
		return err
	}
	if n > math.MaxUint32 {
		return fmt.Errorf("a group has a number up to %d", uint32(math.MaxUint32))
	}
	m.Group = components.Group(n)
	return nil
}
