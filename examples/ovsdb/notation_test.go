package ovsdb

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// values has a column of every type.
type values struct {
	Texts  set[string] `json:"texts"`
	Number set[int]    `json:"number"`
	Flags  set[bool]   `json:"flags"`
	Rows   set[uuid]   `json:"rows"`
	Map    dict        `json:"map"`
	Row    uuid        `json:"row"`
}

func TestNotation(t *testing.T) {
	for text, want := range map[string]values{
		`{"texts":"a"}`:             {Texts: set[string]{"a"}},
		`{"texts":""}`:              {Texts: set[string]{""}},
		`{"texts":"set"}`:           {Texts: set[string]{"set"}},
		`{"texts":["set",[]]}`:      {Texts: set[string]{}},
		`{"texts":["set",["a"]]}`:   {Texts: set[string]{"a"}},
		`{"texts":["set",["set"]]}`: {Texts: set[string]{"set"}},
		`{"texts":[ "set" , ["b",
			"a"]]}`: {Texts: set[string]{"b", "a"}},
		`{"number":-1}`:                                    {Number: set[int]{-1}},
		`{"number":["set",[]]}`:                            {Number: set[int]{}},
		`{"number":["set",[1,65535]]}`:                     {Number: set[int]{1, 65535}},
		`{"flags":["set",[true,false]]}`:                   {Flags: set[bool]{true, false}},
		`{"rows":["uuid","u"]}`:                            {Rows: set[uuid]{"u"}},
		`{"rows":["named-uuid","n"]}`:                      {Rows: set[uuid]{"n"}},
		`{"rows":["set",[]]}`:                              {Rows: set[uuid]{}},
		`{"rows":["set",[["uuid","u"],["uuid","v"]]]}`:     {Rows: set[uuid]{"u", "v"}},
		`{"row":["uuid","u"]}`:                             {Row: "u"},
		`{"map":["map",[]]}`:                               {Map: dict{}},
		`{"map":["map",[["k","v"]]]}`:                      {Map: dict{"k": "v"}},
		`{"map":["map",[["k",""],["l","w"]]]}`:             {Map: dict{"k": "", "l": "w"}},
		`{"map":["map",[["\u00e4\"","\\"]]],"more":[1,2]}`: {Map: dict{`ä"`: `\`}},
	} {
		var got values
		require.NoError(t, json.Unmarshal([]byte(text), &got), text)
		require.Equal(t, want, got, text)
	}
}

func TestNotationRefusesWhatItIsNot(t *testing.T) {
	for _, text := range []string{
		`{"texts":null}`, `{"texts":1}`, `{"texts":[]}`, `{"texts":["a","b"]}`, `{"texts":["set"]}`,
		`{"texts":["set","a"]}`, `{"texts":["set",{}]}`, `{"texts":["set",[null]]}`, `{"texts":["set",["a"],1]}`,
		`{"texts":["set",["a",1]]}`, `{"texts":["set",[["set",["a"]]]]}`, `{"texts":["map",[]]}`,
		`{"number":"1"}`, `{"number":1.5}`, `{"number":1e99}`, `{"number":true}`,
		`{"rows":"u"}`, `{"rows":["uuid"]}`, `{"rows":["uuid",1]}`, `{"rows":["set",["u"]]}`, `{"rows":["id","u"]}`,
		`{"row":null}`, `{"row":["set",[]]}`, `{"row":{}}`,
		`{"map":null}`, `{"map":{}}`, `{"map":{"k":"v"}}`, `{"map":["set",[]]}`, `{"map":["map",{}]}`,
		`{"map":["map",[["k"]]]}`, `{"map":["map",[["k","v","w"]]]}`, `{"map":["map",[["k",1]]]}`, `{"map":["map",["k","v"]]}`,
	} {
		var got values
		require.Error(t, json.Unmarshal([]byte(text), &got), text)
	}
}

func TestTheValueOfAnOptionalColumn(t *testing.T) {
	require.Zero(t, set[int]{}.first())
	require.Equal(t, 7, set[int]{7}.first())
}

// FuzzAssemble feeds the three results of a Bridge call.
func FuzzAssemble(f *testing.F) {
	f.Add(noBridge)
	f.Add(oneBridge(`,"other_config":["map",[["k","v"]]]`, `,"tag":10,"trunks":["set",[1,2]]`, `,"ofport":-1`))
	f.Add(`[{"rows":[{"ports":["set",[["uuid",""],["uuid",""]]]}]},{"rows":[null]},{"rows":null}]`)
	f.Fuzz(func(t *testing.T, text string) {
		var results []result
		if json.Unmarshal([]byte(text), &results) != nil || len(results) != 3 {
			return
		}
		br, err := assemble(results)
		if err != nil {
			return
		}
		for i := range br.Ports {
			require.True(t, i == 0 || br.Ports[i-1].Name <= br.Ports[i].Name)
		}
	})
}
