package mcast_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEverySentenceOfTheContractHasItsTest keeps doc.go and the tests together.
func TestEverySentenceOfTheContractHasItsTest(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	var tests []byte
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		tests = append(tests, text...)
	}
	said := regexp.MustCompile(`(?m)^//   - ([A-Z]\d+): `).FindAllSubmatch(doc, -1)
	require.Greater(t, len(said), 40)
	for _, s := range said {
		require.Regexp(t, `func Test`+string(s[1])+`_\w+\(t \*testing\.T\)`, string(tests))
	}
	for _, s := range regexp.MustCompile(`func Test([A-Z]\d+)_`).FindAllSubmatch(tests, -1) {
		require.Contains(t, string(doc), "- "+string(s[1])+": ", "a test for a sentence that is not there")
	}
}
