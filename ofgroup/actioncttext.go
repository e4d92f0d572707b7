package ofgroup

import "strconv"

// ctText prints a ct.
func ctText(a string, depth int) (string, bool) {
	c, ok := parseCT(a)
	if !ok {
		return "", false
	}
	var w words
	w.when(c.Commit, "commit")
	w.when(c.Force, "force")
	w.when(c.Recirculate, "table="+strconv.Itoa(int(c.Table)))
	w.when(c.Zone != 0, "zone="+strconv.Itoa(int(c.Zone)))
	if c.ZoneField != 0 {
		field, _ := fieldWhere(a[offCTField:], be16(a[offCTZone:]))
		w.when(true, "zone="+field)
	}
	w.when(c.NAT != nil, c.NAT.text())
	w.when(len(c.Exec) > 0, "exec("+execText(c.Exec, depth)+")")
	w.when(c.ALG == ALGFTP, "alg=ftp")
	w.when(c.ALG == ALGTFTP, "alg=tftp")
	w.when(c.ALG != 0 && c.ALG != ALGFTP && c.ALG != ALGTFTP, "alg="+strconv.Itoa(int(c.ALG)))
	return "ct(" + w.String() + ")", true
}

// execText prints what is done within a ct, where alone ovs-ofctl knows a nat.
func execText(actions []Action, depth int) string {
	all := make(words, len(actions))
	for i := range actions {
		a := actions[i].encoding()
		if nat, ok := parseNAT(a); ok {
			all[i] = nat.text()
		} else {
			all[i] = actionText(a, depth+1)
		}
	}
	return all.String()
}
