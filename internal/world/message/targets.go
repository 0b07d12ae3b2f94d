package message

import (
	"github.com/entangle-ecs/entangle/components"
)

// held tells of all targets of messages that wait to be sent.
func (p *Post) held(hold func(components.Target)) {
	for i := range p.Out {
		hold(p.Out[i].target)
	}
}
