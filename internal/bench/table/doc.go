// Package table measures confirmed commits on a real Open vSwitch beside a client that is written by
// hand: it has the encoded messages ready, writes them to the bridge's management socket, and asks for
// one barrier. Both are of one run on one switch and take turns, so the ratios hold on a busy machine.
package table
