package registry_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/registry"
)

// A peer that sends as many entries as possible, or entries with long names, cannot cause as much
// text in a log: the first differences are listed and the others counted.
func TestADiffOfManyEntriesIsShort(t *testing.T) {
	const most = 5 << 10
	many := make([]registry.Entry, registry.MaxEntries)
	for i := range many {
		many[i] = registry.Entry{Kind: registry.KindComponent, Number: i, Name: strings.Repeat("n", 1+i%30) + string(rune('a'+i/30))}
	}
	long := registry.Entry{Kind: registry.KindComponent, Name: "long"}
	for i := range 16 {
		long.Options = append(long.Options, registry.Option{Name: strings.Repeat("ö", 200) + string(rune('a'+i)), Value: strings.Repeat("ü", 256)})
	}
	short := registry.Entry{Kind: registry.KindComponent, Name: "long"}
	for name, d := range map[string]string{
		"only on the client": registry.Diff(nil, many),
		"only on the server": registry.Diff(many, nil),
		"long options":       registry.Diff([]registry.Entry{short}, []registry.Entry{long}),
	} {
		assert.Less(t, len(d), most, name)
		assert.Greater(t, len(d), most/2, name)
		assert.True(t, utf8.ValidString(d), name)
	}
	listed, rest, found := strings.Cut(registry.Diff(nil, many), "; and ")
	require.True(t, found)
	assert.Equal(t, fmt.Sprintf("%d more", len(many)-1-strings.Count(listed, "; ")), rest, "none is forgotten")
	assert.NotContains(t, registry.Diff(nil, many[:20]), "more")
}
