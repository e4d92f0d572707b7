package ofgroup

import (
	"strconv"
	"strings"
)

// ctText prints a ct.
func ctText(a string, depth int) (string, bool) {
	c, ok := parseCT(a)
	if !ok {
		return "", false
	}
	var words []string
	word := func(is bool, text string) {
		if is {
			words = append(words, text)
		}
	}
	word(c.Commit, "commit")
	word(c.Force, "force")
	word(c.Recirculate, "table="+strconv.Itoa(int(c.Table)))
	word(c.Zone != 0, "zone="+strconv.Itoa(int(c.Zone)))
	if c.ZoneField != 0 {
		field, _ := fieldWhere(a[offCTField:], be16(a[offCTZone:]))
		words = append(words, "zone="+field)
	}
	word(c.NAT != nil, c.NAT.text())
	word(len(c.Exec) > 0, "exec("+execText(c.Exec, depth)+")")
	word(c.ALG == ALGFTP, "alg=ftp")
	word(c.ALG == ALGTFTP, "alg=tftp")
	word(c.ALG != 0 && c.ALG != ALGFTP && c.ALG != ALGTFTP, "alg="+strconv.Itoa(int(c.ALG)))
	return "ct(" + strings.Join(words, ",") + ")", true
}

// execText prints what is done within a ct, where alone ovs-ofctl knows a nat.
func execText(actions []Action, depth int) string {
	words := make([]string, len(actions))
	for i := range actions {
		a := actions[i].encoding()
		if nat, ok := parseNAT(a); ok {
			words[i] = nat.text()
		} else {
			words[i] = actionText(a, depth+1)
		}
	}
	return strings.Join(words, ",")
}
