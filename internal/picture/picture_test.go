package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const pages = "../../docs"

// The committed pictures are those of the committed texts and recordings: whoever changes one draws again.
func TestTheCommittedPicturesAreThoseOfTheirTexts(t *testing.T) {
	for _, kind := range []string{"*.txt", "*.cast"} {
		files, err := filepath.Glob(filepath.Join(pages, kind))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, name := range files {
			d, err := read(name)
			require.NoError(t, err)
			for _, theme := range []theme{light, dark} {
				drawn, err := os.ReadFile(svgName(name, theme))
				require.NoError(t, err)
				require.Equal(t, d.svg(theme), string(drawn), "go run ./internal/picture %s", name)
			}
		}
	}
}

func TestEverythingIsDrawnInWellFormedXML(t *testing.T) {
	p, err := parse("size 100 50\n# a comment\n\nbox glue 1 2 30 40 | a < b | & more\narrow 1 1 2 1 | right\narrow 1 1 1 2 | down\nkey world 1 1 | key")
	require.NoError(t, err)
	drawn := p.svg(dark)
	wellFormed(t, drawn)
	for _, part := range []string{"a &lt; b", "&amp; more", ">right<", ">down<", ">key<", dark.page, `stroke-dasharray="5 4"`} {
		require.Contains(t, drawn, part)
	}
	require.NotContains(t, drawn, "comment")
	require.NotContains(t, drawn, light.page)
}

func wellFormed(t *testing.T, drawn string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(drawn)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else {
			require.NoError(t, err)
		}
	}
}

func TestALineThatMakesNoSenseIsNamed(t *testing.T) {
	for source, want := range map[string]string{
		"box package 1 2 3 4 | x":        "1: no size",
		"size 10 10\ncircle 1 2":         `2: unknown word "circle"`,
		"size 10 10\nbox house 1 2 3 4":  `2: unknown kind "house"`,
		"size 10 10\n\nbox glue 1 2 3":   "3: box takes 4 numbers, not 3",
		"size 10 10\narrow 1 2 3 4 5":    "2: arrow takes 4 numbers, not 5",
		"size 10 ten":                    `1: strconv.Atoi: parsing "ten": invalid syntax`,
		"size 10 10\n| text and no word": "2: nothing before the bar",
	} {
		_, err := parse(source)
		require.EqualError(t, err, want)
	}
}
