package scene

import (
	"time"

	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// addLineVerbs adds the verbs that change the lines of clients. Without CLIENTS they change all,
// and without a direction both directions.
//
//	latency DURATION [up|down] [CLIENTS]    sets the travel time of datagrams in one direction
//	jitter DURATION [up|down] [CLIENTS]     sets by how much the latency varies, up or down
//	loss PERCENT [up|down] [CLIENTS]        sets the share of datagrams that are lost
//	duplicate PERCENT [up|down] [CLIENTS]   sets the share of datagrams that arrive twice
//	reorder PERCENT [up|down] [CLIENTS]     sets the share of datagrams that arrive after later ones
//	cut [CLIENTS]                           drops everything that is sent from now on
//	restore [CLIENTS]                       ends a cut
func (c *commands) addLineVerbs(verbs script.Verbs) {
	verbs["latency"] = c.linkDuration(func(link *conditioner.Config) *time.Duration { return &link.Latency })
	verbs["jitter"] = c.linkDuration(func(link *conditioner.Config) *time.Duration { return &link.Jitter })
	verbs["loss"] = c.linkShare(func(link *conditioner.Config) *float64 { return &link.Loss })
	verbs["duplicate"] = c.linkShare(func(link *conditioner.Config) *float64 { return &link.Duplicate })
	verbs["reorder"] = c.linkShare(func(link *conditioner.Config) *float64 { return &link.Reorder })
	verbs["cut"] = c.changeLines((*netsim.Line).Cut)
	verbs["restore"] = c.changeLines((*netsim.Line).Restore)
}

// linkDuration returns a verb that sets a duration of links.
func (c *commands) linkDuration(field func(*conditioner.Config) *time.Duration) script.Verb {
	return func(args *script.Args, _ *script.Trace) {
		d := args.Duration()
		c.changeLinks(args, func(link *conditioner.Config) { *field(link) = d })
	}
}

// linkShare returns a verb that sets a share of links, 0..1.
func (c *commands) linkShare(field func(*conditioner.Config) *float64) script.Verb {
	return func(args *script.Args, _ *script.Trace) {
		share := args.Percent()
		c.changeLinks(args, func(link *conditioner.Config) { *field(link) = share })
	}
}

// changeLinks changes the links of the given clients, in the given direction or in both.
func (c *commands) changeLinks(args *script.Args, change func(*conditioner.Config)) {
	up, down := args.Take("up"), args.Take("down")
	for _, client := range c.clientArgs(args) {
		line := c.scene.Line(client)
		link := line.Link()
		if !down {
			change(&link.Up)
		}
		if !up {
			change(&link.Down)
		}
		args.Fail(line.SetLink(link))
	}
}

// changeLines returns a verb that changes the lines of the given clients.
func (c *commands) changeLines(change func(*netsim.Line)) script.Verb {
	return func(args *script.Args, _ *script.Trace) {
		for _, client := range c.clientArgs(args) {
			change(c.scene.Line(client))
		}
	}
}
