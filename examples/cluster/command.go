package main

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/ofmcast/ofmcast/mcast"
)

// parseReport is what "join GROUP PORT SOURCE..." and "leave GROUP PORT" say. A typed membership is a
// static one: nobody is there to answer queries.
func parseReport(words []string, at time.Time) (r mcast.Report[member], err error) {
	if len(words) < 3 || words[0] != "join" && (words[0] != "leave" || len(words) > 3) {
		return r, errors.New("want join GROUP PORT [SOURCE...] or leave GROUP PORT")
	}
	r = mcast.Report[member]{Kind: mcast.ChangeToInclude, Owner: mcast.Owner{Kind: mcast.Static}, At: at}
	if r.Group, err = parseGroup(words[1]); err != nil {
		return r, err
	}
	if r.Member.port, err = strconv.Atoi(words[2]); err != nil || r.Member.port < 1 {
		return r, fmt.Errorf("port %q is not a number from 1", words[2])
	}
	for _, w := range words[3:] {
		source, err := netip.ParseAddr(w)
		if err != nil {
			return r, err
		}
		r.Sources = append(r.Sources, source)
	}
	if words[0] == "join" && len(r.Sources) == 0 {
		r.Kind = mcast.ChangeToExclude
	}
	return r, nil
}

// parseGroup is a group as mcast.Group.String writes it.
func parseGroup(text string) (g mcast.Group, err error) {
	addr, segment, tagged := strings.Cut(text, "@")
	if tagged {
		n, err := strconv.ParseUint(segment, 10, 32)
		if err != nil {
			return g, fmt.Errorf("segment %q is not a number", segment)
		}
		g.Segment = uint32(n)
	}
	g.Addr, err = netip.ParseAddr(addr)
	return g, err
}
