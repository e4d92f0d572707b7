package ofconn

import (
	"context"

	"github.com/ofmcast/ofmcast/internal/openflow"
	"github.com/ofmcast/ofmcast/ofgroup"
)

// GroupStats reads what the switch counted for one group, or for ofgroup.AllGroups of
// them, whoever's they are: this is how to learn which groups there are. A group that is
// not there has no entry, which is no error.
//
// Open vSwitch breaks the stream, and with it the connection, at a group of more than
// 4,092 buckets, which no single message can make.
func (s *Session) GroupStats(ctx context.Context, id ofgroup.ID) ([]ofgroup.GroupStats, error) {
	body, err := s.ask(ctx, "group stats", openflow.MultipartGroup, ofgroup.Request{Kind: ofgroup.RequestStats, ID: id})
	if err != nil {
		return nil, err
	}
	return ofgroup.ParseGroupStats(s.version, body)
}

// GroupFeatures asks what the switch can do with groups.
func (s *Session) GroupFeatures(ctx context.Context) (ofgroup.GroupFeatures, error) {
	body, err := s.ask(ctx, "group features", openflow.MultipartGroupFeatures, ofgroup.Request{Kind: ofgroup.RequestFeatures})
	if err != nil {
		return ofgroup.GroupFeatures{}, err
	}
	return ofgroup.ParseGroupFeatures(s.version, body)
}

// GroupStats is Session.GroupStats.
func (c *Conn) GroupStats(ctx context.Context, id ofgroup.ID) ([]ofgroup.GroupStats, error) {
	return onSession(c, func(s *Session) ([]ofgroup.GroupStats, error) { return s.GroupStats(ctx, id) })
}

// GroupFeatures is Session.GroupFeatures.
func (c *Conn) GroupFeatures(ctx context.Context) (ofgroup.GroupFeatures, error) {
	return onSession(c, func(s *Session) (ofgroup.GroupFeatures, error) { return s.GroupFeatures(ctx) })
}
