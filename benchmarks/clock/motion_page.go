package clock

import (
	"fmt"
	"os"
	"strings"
)

// motionPageFile is the page in docs that writeMotionPage writes.
const motionPageFile = "TIMELINES.md"

// writeMotionPage runs networks and writes the page about them.
func writeMotionPage(file string, all []motionNetwork) error {
	var page strings.Builder
	page.WriteString(motionPageTop)
	page.WriteString(motionHead())
	for i := range all {
		page.WriteString("| " + all[i].name + " |")
		for _, r := range all[i].results(clockCounts) {
			fmt.Fprintf(&page, " %.2f | %.2f | %.2f | %.2f |", 100*r.starved, r.delay, r.least, r.over())
		}
		page.WriteString("\n")
	}
	page.WriteString(motionPageEnd)
	return os.WriteFile(file, []byte(page.String()), 0o644)
}

func motionHead() string {
	head, line := "| round trip and conditions |", "| --- |"
	for _, every := range motionIntervals {
		head += fmt.Sprintf(" starved, n = %d | delay | least | over |", every)
		line += " ---: | ---: | ---: | ---: |"
	}
	return head + "\n" + line + "\n"
}

const motionPageTop = `# How smoothly the others move

An interpolated entity is shown in the past, between two received values. Its timeline has to be so
far behind that the next value is there when it is shown, and no farther. This page compares the
delays of Entangle's timelines with the smallest possible ones, in many kinds of networks.

Each row is a network of one server and one client in virtual time, with 60 ticks and 60 frames per
second unless the row says otherwise, and three entities that always move. They are in groups that
are sent every n ticks. A group whose newest packet is lost is sent again when the loss is known: a
round trip and three ticks later. The number after ± is the jitter: the travel time of a packet
differs by up to this much in each direction, evenly distributed, and packets overtake each other.
Frames come up to a millisecond late. A row covers five minutes, after thirty seconds of warm-up. If
a row names an event, the event follows the warm-up, and the five minutes begin thirty seconds after
it.

`

const motionPageEnd = `
| column | meaning |
| --- | --- |
| starved | percentage of the frames in which the entity had no value after the shown time |
| delay | how many ticks the shown time is behind the server's time, on average |
| least | the smallest constant delay with at most 0.5 % of starved frames, had the travel times been known in advance |
| over | delay minus least |

A timeline aims at 0.2 % of starved frames, because the packets of the last seconds do not tell
exactly what the next ones need. Losses of five packets in a row are not covered at n = 1 and n = 2:
after four send intervals without a value, the entity is assumed to have been at rest.

The seeds determine the networks: the same code produces the same table. This page is written with
[CLOCK.md](CLOCK.md).
`
