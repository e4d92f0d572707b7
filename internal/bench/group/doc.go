// Package group measures OpenFlow groups: building, encoding and decoding them.
package group
