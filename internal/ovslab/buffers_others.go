//go:build !linux

package ovslab

func enlargeBuffers(string) error { return errNotLinux }
