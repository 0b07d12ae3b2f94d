package message

import (
	"github.com/entangle-ecs/entangle/components"
)

// held calls hold for the targets of all messages that wait to be sent.
func (p *Post) held(hold func(components.Target)) {
	for i := range p.Out {
		hold(p.Out[i].target)
	}
}
