package ofgroup

// WithKey names the bucket within its group, for a Table: whoever it stands for, such as a
// port's name or an endpoint's address. No two buckets of a group may have the same
// (ErrBucketKey); "" takes the key away. It is never sent, and Equal does not look at it,
// but == does.
//
// Where all buckets of a group have keys their numbers are the Table's to give: a bucket
// keeps its number as long as its key is in the group, whatever becomes of its place and
// its actions, and no other bucket gets that number while the switch has the group. One given
// by WithID does not count there. What it is good for stands at Table.
func (b Bucket) WithKey(key string) Bucket {
	b.setKey(key)
	return b
}

// Key is the key that was given, and whether one was. Buckets that were decoded have none.
func (b Bucket) Key() (string, bool) {
	if b.has&hasKey == 0 {
		return "", false
	}
	return b.odd.Value().key, true
}

// hasKeyOf reports whether both have the same key. Usually that is all that the two have in
// odd, and comparing its handles tells.
func (b *Bucket) hasKeyOf(o *Bucket) bool {
	if b.has&o.has&hasKey == 0 {
		return false
	}
	return b.odd == o.odd || b.odd.Value().key == o.odd.Value().key
}

// keyed reports whether all buckets have keys. Without buckets it is so as well.
func (g Group) keyed() bool {
	for _, b := range g.buckets.each {
		if b.has&hasKey == 0 {
			return false
		}
	}
	return true
}

// repeatedKey is the position of the first bucket whose key an earlier one has, or -1;
// keys is how many of them have one.
func (g Group) repeatedKey(keys int) int {
	if keys < 2 {
		return -1
	}
	seen := make(map[string]struct{}, keys)
	for i, b := range g.buckets.each {
		key, has := b.Key()
		if !has {
			continue
		}
		if _, again := seen[key]; again {
			return i
		}
		seen[key] = struct{}{}
	}
	return -1
}
