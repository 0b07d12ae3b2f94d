package oracle

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestADifferenceOfLongValuesShowsItsPlace(t *testing.T) {
	zeros := strings.Repeat("0,", 20)
	is, should := shortenLists(zeros+"5,"+zeros+"7", zeros+"6,"+zeros+"8")
	assert.Equal(t, "...0,5,0,0,0,0,0,0... (from number 20)", is)
	assert.Equal(t, "...0,6,0,0,0,0,0,0... (from number 20)", should)
	is, should = shortenLists(zeros+"1", zeros+"2")
	assert.Equal(t, "...0,1... (from number 20)", is)
	assert.Equal(t, "...0,2... (from number 20)", should)
	is, should = shortenLists("1,2", "1,3")
	assert.Equal(t, "1,2", is)
	assert.Equal(t, "1,3", should)
}
