package main

import (
	"flag"

	"github.com/ofmcast/ofmcast/examples/agent/config"
)

// configFlags are the flags about the configuration file and about trying it.
func (o *options) configFlags(fs *flag.FlagSet) {
	fs.StringVar(&o.config, "config", "", "`FILE` in YAML with flags by their names, which the command line overrides, and with the policy:\nsee the documentation of examples/agent/config (default: none)")
	fs.BoolVar(&o.dryRun, "dry-run", false, "print what would be sent to the switch, and change nothing: a file for ovs-ofctl bundle, with meters\nin comments, # meter add ..., of which the rest is for ovs-ofctl add-meter")
}

// readConfig takes what the command line leaves to the file.
func (o *options) readConfig(fs *flag.FlagSet) error {
	if o.config == "" {
		return nil
	}
	file, err := config.Read(o.config)
	if err != nil {
		return err
	}
	o.file = file
	return file.Apply(fs, "config") // which would be read by nobody
}

// warnings are what the configuration says to no effect.
func (o options) warnings() []string {
	if o.file == nil {
		return nil
	}
	return o.file.Policy.Useless()
}
