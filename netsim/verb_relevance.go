package netsim

import (
	"fmt"

	"github.com/entangle-ecs/entangle/components"
)

var relevances = map[string]components.Relevance{
	"always": components.Always, "interest": components.ByInterest, "retained": components.Retained,
}

// relevance NAME always|interest|retained sets the Relevance of an entity of the server's world,
// which has components.Replicate: whether interest decides which clients see it.
func (c *cast) relevance(args *Args, _ *Trace) error {
	m, err := c.replicated(args)
	if err != nil {
		return err
	}
	word, err := args.Word()
	if err != nil {
		return err
	}
	r, ok := relevances[word]
	if !ok {
		return fmt.Errorf("%q is no relevance; give always, interest or retained", word)
	}
	m.Relevance = r
	return nil
}
