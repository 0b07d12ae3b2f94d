package clock

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// In no network does the clock oscillate, run away, or starve the server of inputs: its speed
// seldom changes direction, its lead is near the least one that suffices, its speed is so small
// that no player notices it, and the server has the inputs. A run here is shorter than one of the
// page, so its bounds are wider than the figures on the page.
func TestNoNetworkUpsetsTheClock(t *testing.T) {
	for _, n := range Networks() {
		t.Run(n.name, func(t *testing.T) {
			t.Parallel()
			c, err := n.play(30 * time.Second)
			require.NoError(t, err)
			t.Logf("%+v", c)
			assert.Greater(t, c.inTime, 0.97, "starves")
			assert.Less(t, c.over(), 6.0, "runs away")
			assert.Less(t, c.lead.most-c.lead.least, 16.0, "runs away")
			assert.Less(t, c.speed.turns, 12.0, "swings")
			assert.Less(t, c.speed.fastest, 1.1)
			assert.Greater(t, c.speed.slowest, 0.9)
			assert.LessOrEqual(t, c.jumps, 2)
			assert.Less(t, c.synced, 5*time.Second)
		})
	}
}

var clockPageRow = regexp.MustCompile(`(?m)^\| (\d+ ms[^|]*) \|(?: +[-\d.]+ \|)+$`)

// The page has a row for each network, and explains each column.
func TestClockPageHasEveryNetwork(t *testing.T) {
	text, err := os.ReadFile("../../docs/" + clockPageFile)
	require.NoError(t, err)
	checkClockPage(t, string(text), Networks())
}

func checkClockPage(t *testing.T, page string, all []clockNetwork) {
	var rows, want []string
	for _, row := range clockPageRow.FindAllStringSubmatch(page, -1) {
		rows = append(rows, row[1])
	}
	for _, n := range all {
		want = append(want, n.what)
	}
	assert.Equal(t, want, rows)
	var head strings.Builder
	clockHead(&head)
	assert.Contains(t, page, head.String())
	assert.True(t, strings.HasPrefix(page, clockPageTop))
	assert.True(t, strings.HasSuffix(page, clockPageEnd))
	for _, c := range clockColumns {
		if c.head != "" {
			assert.Contains(t, page, "| "+c.head+" | "+c.means+" |")
		}
	}
}

// The page is written as checked, and is the same when it is written twice.
func TestClockPageIsWritten(t *testing.T) {
	some := Networks()[:1]
	var pages [2][]byte
	for i := range pages {
		file := filepath.Join(t.TempDir(), clockPageFile)
		var out bytes.Buffer
		require.NoError(t, WritePage(file, some, &out))
		assert.Equal(t, 1, bytes.Count(out.Bytes(), []byte("\n")))
		var err error
		pages[i], err = os.ReadFile(file)
		require.NoError(t, err)
	}
	checkClockPage(t, string(pages[0]), some)
	assert.Equal(t, string(pages[0]), string(pages[1]))
}
