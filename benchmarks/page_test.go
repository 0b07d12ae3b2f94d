package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var costRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|.*\\| ([^|]+) \\|$")

// TestPageNamesEveryGoal holds the table of docs/COSTS.md against the variants, in
// both directions and in their order.
func TestPageNamesEveryGoal(t *testing.T) {
	text, err := os.ReadFile("../docs/COSTS.md")
	require.NoError(t, err)
	var page, code []string
	for _, row := range costRow.FindAllStringSubmatch(string(text), -1) {
		page = append(page, row[1]+": "+row[2])
	}
	for _, v := range cases() {
		if v.page == "" {
			code = append(code, v.name+": "+goalOnPage(v))
		}
	}
	assert.Equal(t, code, page)
}

func goalOnPage(v variant) string {
	switch {
	case v.goal == 0:
		return "reported"
	case v.atLeast:
		return strings.TrimSpace(fmt.Sprint("at least ", v.goal, " ", v.unit))
	case v.unit != "":
		return fmt.Sprint(v.goal, " ", v.unit)
	}
	return fmt.Sprint(v.goal)
}
