package cases

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/entangle-ecs/entangle/benchmarks/report"
)

// picture plots the cost of a server's tick over one size of the scene of tick-shared/plain, for
// our side and the limit.
type picture struct {
	file, title, axis string
	sizes             []int
	at                func(size int) sceneConfig
	logarithmic       bool
}

func Pictures() []picture {
	scene := sceneConfig{entities: tickEntities, clients: tickClients, percent: 100, rtt: sixTicks}
	return []picture{
		{
			file: "tick-by-entities.png", title: fmt.Sprintf("One server tick, %d clients that see everything", tickClients),
			axis: "entities, all of them moving", sizes: []int{100, 200, 500, 1_000, 2_000, 5_000, 10_000}, logarithmic: true,
			at: func(entities int) sceneConfig { c := scene; c.entities = entities; return c },
		},
		{
			file: "tick-by-clients.png", title: fmt.Sprintf("One server tick, %d entities that all move", tickEntities),
			axis: "clients that see everything", sizes: []int{10, 25, 50, 100, 150, 200},
			at: func(clients int) sceneConfig { c := scene; c.clients = clients; return c },
		},
	}
}

// pictureRounds is how often each point is measured. The median is drawn.
const pictureRounds = 30

// DrawPictures measures and draws every picture into a folder, which it creates if necessary, and
// prints the measurements.
func DrawPictures(folder string, all []picture, w io.Writer) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for i := range all {
		ours, limit, err := all[i].measure(w)
		if err != nil {
			return fmt.Errorf("%s: %w", all[i].file, err)
		}
		if err := all[i].savePlot(filepath.Join(folder, all[i].file), ours, limit); err != nil {
			return err
		}
	}
	return nil
}

// measure returns milliseconds by size, for our side and the limit.
func (p *picture) measure(w io.Writer) (ours, limit plotter.XYs, err error) {
	for _, size := range p.sizes {
		cfg := p.at(size)
		s, l, err := newScenePair(cfg)
		if err != nil {
			return nil, nil, err
		}
		both := report.Sides{Before: func() { s.before(); l.Move(cfg.percent) }, Ours: s.runServerTick, Limit: l.Send}
		both.Turns(cfg.rtt(0))
		r := both.Measure(pictureRounds)
		if s.err != nil {
			return nil, nil, s.err
		}
		ours = append(ours, plotter.XY{X: float64(size), Y: r.OursNs / 1e6})
		limit = append(limit, plotter.XY{X: float64(size), Y: r.LimitNs / 1e6})
		fmt.Fprintf(w, "%6d %s: ours %.3f ms, the limit %.3f ms\n", size, p.axis, r.OursNs/1e6, r.LimitNs/1e6)
	}
	return ours, limit, nil
}

// The colours can be told apart by colour-blind readers too, and the lines also differ in their
// strokes.
var (
	oursColour  = color.RGBA{R: 0x00, G: 0x5a, B: 0xb5, A: 0xff}
	limitColour = color.RGBA{R: 0xc8, G: 0x50, B: 0x00, A: 0xff}
	gridColour  = color.RGBA{R: 0xd8, G: 0xd8, B: 0xd8, A: 0xff}
)

// The background is white, so that pictures can be read on a dark page too.
const (
	pictureWidth  = 6.5 * vg.Inch
	pictureHeight = 4 * vg.Inch
	pictureMargin = vg.Length(8)
	pictureDPI    = 144
)

func (p *picture) savePlot(file string, ours, limit plotter.XYs) error {
	chart := plot.New()
	chart.BackgroundColor = color.White
	chart.Title.Text = p.title
	chart.X.Label.Text, chart.Y.Label.Text = p.axis, "milliseconds per tick, one core"
	chart.Title.Padding, chart.X.Padding, chart.Y.Padding = vg.Points(8), vg.Points(4), vg.Points(4)
	chart.Legend.Top, chart.Legend.Left, chart.Legend.Padding = true, true, vg.Points(3)
	chart.Legend.XOffs, chart.Legend.YOffs = vg.Points(8), vg.Points(-8)
	for _, style := range []*draw.TextStyle{
		&chart.Title.TextStyle, &chart.X.Label.TextStyle, &chart.Y.Label.TextStyle,
		&chart.X.Tick.Label, &chart.Y.Tick.Label, &chart.Legend.TextStyle,
	} {
		style.Font.Variant = "Sans"
	}
	p.scale(chart, ours, limit)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = gridColour, gridColour
	chart.Add(grid)
	if err := addLine(chart, "Entangle", ours, oursColour, nil); err != nil {
		return err
	}
	if err := addLine(chart, "hand-written limit", limit, limitColour, []vg.Length{vg.Points(5), vg.Points(3)}); err != nil {
		return err
	}
	return writePNG(file, chart)
}

// scale sets the axes. It plots the logarithms of the values, because plot.LogScale leaves too much
// space for labels.
func (p *picture) scale(chart *plot.Plot, lines ...plotter.XYs) {
	if !p.logarithmic {
		chart.X.Min, chart.Y.Min = 0, 0
		return
	}
	chart.X.Tick.Marker, chart.Y.Tick.Marker = decades{}, decades{}
	for _, line := range lines {
		for i := range line {
			line[i].X, line[i].Y = math.Log10(line[i].X), math.Log10(line[i].Y)
		}
	}
}

// decades labels a logarithmic axis.
type decades struct{}

// Ticks implements plot.Ticker.
func (decades) Ticks(from, to float64) (ticks []plot.Tick) {
	for decade := math.Floor(from); decade <= to; decade++ {
		for i := 1; i < 10; i++ {
			tick := plot.Tick{Value: decade + math.Log10(float64(i))}
			if i == 1 {
				tick.Label = strconv.FormatFloat(math.Pow(10, decade), 'f', -1, 64)
			}
			if tick.Value >= from && tick.Value <= to {
				ticks = append(ticks, tick)
			}
		}
	}
	return ticks
}

func addLine(chart *plot.Plot, name string, points plotter.XYs, c color.Color, dashes []vg.Length) error {
	line, marks, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	line.Color, line.Width, line.Dashes = c, vg.Points(2), dashes
	marks.Color, marks.Shape, marks.Radius = c, draw.CircleGlyph{}, vg.Points(3)
	chart.Add(line, marks)
	chart.Legend.Add(name, line, marks)
	return nil
}

func writePNG(file string, chart *plot.Plot) (err error) {
	canvas := vgimg.NewWith(vgimg.UseWH(pictureWidth, pictureHeight), vgimg.UseDPI(pictureDPI))
	whole := draw.New(canvas)
	chart.Draw(draw.Crop(whole, pictureMargin, -pictureMargin, pictureMargin, -pictureMargin))
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = vgimg.PngCanvas{Canvas: canvas}.WriteTo(f)
	return err
}
