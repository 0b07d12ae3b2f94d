package cases

import (
	"bytes"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPicturesAreDrawn draws all pictures from small scenes, and checks that each is white in its
// corners and has both lines.
func TestPicturesAreDrawn(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "images")
	small := Pictures()
	for i := range small {
		small[i].sizes = []int{1, 2, 3}
	}
	small[0].at = func(n int) sceneConfig { return sceneConfig{entities: n, clients: 1, percent: 100, rtt: sixTicks} }
	small[1].at = func(n int) sceneConfig { return sceneConfig{entities: 1, clients: n, percent: 100, rtt: sixTicks} }
	var out bytes.Buffer
	require.NoError(t, DrawPictures(folder, small, &out))
	assert.Equal(t, 6, bytes.Count(out.Bytes(), []byte("\n")))
	for _, p := range small {
		colours := coloursOf(t, filepath.Join(folder, p.file))
		assert.Equal(t, color.RGBA{0xff, 0xff, 0xff, 0xff}, colours.corner, p.file)
		assert.True(t, colours.seen[oursColour], "%s shows nothing of ours", p.file)
		assert.True(t, colours.seen[limitColour], "%s shows no limit", p.file)
	}
}

type pictureColours struct {
	corner color.RGBA
	seen   map[color.RGBA]bool
}

func coloursOf(t *testing.T, file string) pictureColours {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	require.NoError(t, err)
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(img.At(x, y)).(color.RGBA) }
	c := pictureColours{corner: at(0, 0), seen: map[color.RGBA]bool{}}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			c.seen[at(x, y)] = true
		}
	}
	return c
}
