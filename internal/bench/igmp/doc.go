// Package igmpbench compares the codec with gopacket's DecodingLayerParser and with a bare loop over the bytes, and
// measures how many frames a second the snooper takes on one core.
package igmpbench
