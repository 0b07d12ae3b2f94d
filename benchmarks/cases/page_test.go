package cases

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/benchmarks/report"
)

var costRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|.*\\| ([^|]+) \\|$")

// TestPageNamesEveryGoal compares the table of docs/COSTS.md with the variants, in both directions
// and in their order.
func TestPageNamesEveryGoal(t *testing.T) {
	text, err := os.ReadFile("../../docs/COSTS.md")
	require.NoError(t, err)
	var page, code []string
	for _, row := range costRow.FindAllStringSubmatch(string(text), -1) {
		page = append(page, row[1]+": "+row[2])
	}
	for _, v := range All() {
		if v.Page == "" {
			code = append(code, v.Name+": "+goalOnPage(v))
		}
	}
	assert.Equal(t, code, page)
}

func goalOnPage(v report.Variant) string {
	switch {
	case v.Goal == 0:
		return "reported"
	case v.AtLeast:
		return strings.TrimSpace(fmt.Sprint("at least ", v.Goal, " ", v.Unit))
	case v.Unit != "":
		return fmt.Sprint(v.Goal, " ", v.Unit)
	}
	return fmt.Sprint(v.Goal)
}
