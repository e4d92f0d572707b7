package plot

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ofmcast/ofmcast/internal/bench/figures"
)

var update = flag.Bool("update", false, "write the pictures that the test compares with")

func example() Plot {
	return Plot{
		Title: "Work & its cost", X: "things < 700", Kind: figures.Seconds, Series: []Series{
			{"ours", []float64{10, 100, 700}, []float64{1e-6, 1e-5, 7e-5}},
			{"theirs", []float64{10, 100, 700}, []float64{1e-5, 1e-3, 0.049}},
			{"one", []float64{100}, []float64{1e-4}},
			{"flat", []float64{10, 700}, []float64{1e-4, 1e-4}},
		},
	}
}

func TestThePictureIsAsItWasLookedAt(t *testing.T) {
	for _, theme := range []Theme{Light(), Dark()} {
		name := filepath.Join("testdata", theme.Name+".svg")
		drawn := example().SVG(theme)
		if *update {
			require.NoError(t, os.WriteFile(name, []byte(drawn), 0o644))
		}
		golden, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, string(golden), drawn, "look at it, and go test ./plot -update")
	}
}

func TestTheLegendHasTheSlopes(t *testing.T) {
	drawn := example().SVG(Light())
	require.Equal(t, []string{"1.00", "2.00", "0.00"}, matches(drawn, `font-size="9"[^>]*>([^<]*)<`), "none for a single figure")
	require.Equal(t, []string{"ours", "theirs", "one", "flat"}, matches(drawn, `<text x="[0-9]+" y="[0-9]+" fill="#1f2328">([a-z]*)<`))
}

func TestTheAxesHaveWholeDecades(t *testing.T) {
	drawn := example().SVG(Light())
	require.Equal(t, []string{"10", "100", "1,000"}, matches(drawn, `text-anchor="middle"[^>]*>([0-9,]*)<`))
	require.Equal(t, []string{"1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms"}, matches(drawn, `text-anchor="end"[^>]*>([^<]*)<`))
}

func TestAnAxisIsLogarithmic(t *testing.T) {
	a := axisOver([]float64{20, 1000}, 100, 300)
	require.Equal(t, []float64{10, 100, 1000}, a.decades())
	require.InDelta(t, 100, a.at(10), 1e-9)
	require.InDelta(t, 200, a.at(100), 1e-9)
	require.InDelta(t, 300, a.at(1000), 1e-9)
	require.Equal(t, []float64{100, 1000}, axisOver([]float64{100}, 0, 1).decades(), "one value has a decade as well")
}

func TestEverythingIsWithinThePictureAndWellFormed(t *testing.T) {
	for _, theme := range []Theme{Light(), Dark()} {
		drawn := example().SVG(theme)
		for d := xml.NewDecoder(strings.NewReader(drawn)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else {
				require.NoError(t, err)
			}
		}
		for attribute, most := range map[string]float64{"x": width, "cx": width, "y": height, "cy": height} {
			for _, text := range matches(drawn, ` `+attribute+`="([^"]*)"`) {
				v, err := strconv.ParseFloat(text, 64)
				require.NoError(t, err)
				require.True(t, v >= 0 && v <= most, "%s=%v", attribute, v)
			}
		}
		require.Contains(t, drawn, "Work &amp; its cost")
		require.Contains(t, drawn, theme.page)
	}
	require.NotContains(t, example().SVG(Dark()), Light().ink)
}

// A plot without figures is a page with a title.
func TestNoFiguresAreNoPicture(t *testing.T) {
	for _, p := range []Plot{{Title: "nothing"}, {Title: "nothing", Series: []Series{{Name: "ours"}}}} {
		drawn := p.SVG(Light())
		require.Contains(t, drawn, "nothing")
		require.NotContains(t, drawn, "NaN")
		require.NotContains(t, drawn, "Inf")
	}
}

func matches(text, expression string) (all []string) {
	for _, m := range regexp.MustCompile(expression).FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}
