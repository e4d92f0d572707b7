//go:build !linux

package ovslab

import (
	"net/netip"
	"os"
)

func openMember() (*os.File, error) { return nil, errNotLinux }

func openReceiver(netip.AddrPort) (*os.File, error) { return nil, errNotLinux }

func openSender(int, netip.Addr, int) (*os.File, error) { return nil, errNotLinux }

func openCapture(int) (*os.File, error) { return nil, errNotLinux }

func joinGroup(*os.File, int, netip.Addr, netip.Addr, []netip.Addr) error { return errNotLinux }

func filterGroup(*os.File, netip.Addr, netip.Addr, uint32, []netip.Addr) error { return errNotLinux }

func readPacket(*os.File, []byte) (socketEvent, error) { return socketEvent{}, errNotLinux }
