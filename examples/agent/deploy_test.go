//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// manifest is what is looked at of Kubernetes' objects.
type manifest struct {
	Kind string
	Data map[string]string
	Spec struct {
		Template struct {
			Spec struct {
				HostNetwork bool `yaml:"hostNetwork"`
				Containers  []struct {
					Args         []string
					VolumeMounts []struct {
						MountPath string `yaml:"mountPath"`
					} `yaml:"volumeMounts"`
					LivenessProbe struct {
						HTTPGet struct {
							Port int
							Path string
						} `yaml:"httpGet"`
					} `yaml:"livenessProbe"`
				}
			}
		}
	}
}

// withFile reads options from arguments whose -config is the text.
func withFile(t *testing.T, args []string, text string) options {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agent.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	args = append([]string{}, args...)
	for i, arg := range args {
		if arg == "/etc/ofmcast/agent.yaml" {
			args[i] = path
		}
	}
	o, err := parseOptions(args, io.Discard)
	require.NoError(t, err)
	require.Equal(t, path, o.config, "the file is used")
	return o
}

func TestTheUnitStartsAnAgent(t *testing.T) {
	unit, err := os.ReadFile("deploy/ofmcast-agent.service")
	require.NoError(t, err)
	text, err := os.ReadFile("deploy/agent.yaml")
	require.NoError(t, err)
	for line := range strings.Lines(string(unit)) {
		if start, ok := strings.CutPrefix(strings.TrimSpace(line), "ExecStart="); ok {
			o := withFile(t, strings.Fields(start)[1:], string(text))
			require.True(t, strings.HasPrefix(o.state, stateDir+"/"), "the unit's RuntimeDirectory")
			require.Len(t, o.file.Policy.Rules, 1)
			return
		}
	}
	require.Fail(t, "no ExecStart")
}

func TestTheManifestStartsAnAgent(t *testing.T) {
	text, err := os.ReadFile("deploy/daemonset.yaml")
	require.NoError(t, err)
	objects := make(map[string]manifest)
	in := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var m manifest
		err := in.Decode(&m)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		objects[m.Kind] = m
	}
	pod := objects["DaemonSet"].Spec.Template.Spec
	c := pod.Containers[0]
	o := withFile(t, c.Args, objects["ConfigMap"].Data["agent.yaml"])
	require.True(t, pod.HostNetwork, "the kernel's routes are the host's")
	require.Equal(t, 9500, c.LivenessProbe.HTTPGet.Port)
	require.Equal(t, ":9500", o.http)
	require.Equal(t, "/healthz", c.LivenessProbe.HTTPGet.Path)
	var mounts []string
	for _, m := range c.VolumeMounts {
		mounts = append(mounts, m.MountPath)
	}
	require.Contains(t, mounts, filepath.Dir(strings.TrimPrefix(o.openflow, "unix:")))
	require.Contains(t, mounts, filepath.Dir(strings.TrimPrefix(o.ovsdb, "unix:")))
	require.Contains(t, mounts, filepath.Dir(o.state), "or a new pod knows nothing")
}

func TestSystemdUnderstandsTheUnit(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze: the unit is not verified")
	}
	unit, err := os.ReadFile("deploy/ofmcast-agent.service")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "ofmcast-agent.service")
	unit = bytes.Replace(unit, []byte("/usr/local/bin/ofmcast-agent"), []byte("/bin/true"), 1) // must be there
	require.NoError(t, os.WriteFile(path, unit, 0o600))
	out, err := exec.Command(analyze, "verify", path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NotContains(t, string(out), "ofmcast-agent.service:", "no complaints")
	out, err = exec.Command(analyze, "security", "--offline=true", "--threshold=25", path).CombinedOutput()
	require.NoError(t, err, "exposure above 2.5: %s", out)
}

func TestTheAgentNeedsNoMoreThanTheUnitGives(t *testing.T) {
	t.Parallel()
	setpriv, err := exec.LookPath("setpriv")
	if err != nil {
		t.Skip("no setpriv: the agent is not tried with few capabilities")
	}
	r := newLab(t, versions...)
	_, err = r.lab.Vsctl(t.Context(), "add-port", r.lab.Bridge(), "gw0", "--", "set", "interface", "gw0", "type=internal")
	require.NoError(t, err)
	for _, ip := range []string{"link set dev gw0 up", "link add up0 type veth peer name up1", "link set dev up1 up", "link set dev up0 up"} {
		_, err := r.lab.Node().Run(t.Context(), "ip", strings.Fields(ip)...)
		require.NoError(t, err)
	}
	self, err := os.Executable()
	require.NoError(t, err)
	p := &process{t: t, said: &transcript{}}
	p.cmd = r.lab.Node().Command(context.Background(), setpriv, "--no-new-privs", "--bounding-set", "-all,+net_admin,+net_raw", self,
		"-openflow", "unix:"+r.lab.Mgmt(), "-ovsdb", "unix:"+r.lab.Dir()+"/db.sock", "-bridge", r.lab.Bridge(),
		"-state", r.stateFile(), "-gateway", "gw0", "-uplink", "up0", "-http", ":0")
	p.cmd.Env = append(os.Environ(), actAsAgent+"=1")
	p.cmd.Stderr = p.said
	require.NoError(t, p.cmd.Start())
	t.Cleanup(p.kill)
	p.await("switch is up to date")
	r.join("v3", group)
	eventually(t, func() bool { return len(r.bucketsOf(group)) == 2 }, 5*time.Second, 50*time.Millisecond, p.said)
	eventually(t, func() bool { // the uplink has joined, which needs the kernel
		out, err := r.lab.Node().Run(t.Context(), "ip", "maddr", "show", "dev", "up0")
		return err == nil && strings.Contains(out, group.String())
	}, 5*time.Second, 50*time.Millisecond, p.said)
	eventually(t, func() bool {
		_, err := os.Stat(r.stateFile())
		return err == nil
	}, 5*time.Second, 50*time.Millisecond, p.said)
	cmd := r.lab.Node().Command(t.Context(), self, "doctor", "-openflow", "unix:"+r.lab.Mgmt(), "-ovsdb", "unix:"+r.lab.Dir()+"/db.sock",
		"-bridge", r.lab.Bridge(), "-gateway", "gw0", "-uplink", "up0")
	cmd.Env = append(os.Environ(), actAsAgent+"=1")
	out, err := cmd.CombinedOutput()
	require.Error(t, err, "there are findings")
	require.Contains(t, string(out), "ok gateway gw0")
	require.Contains(t, string(out), "!! owner: another process routes multicast", "the agent, which is not asked here")
	p.stop()
	require.NotContains(t, p.said.String(), "not permitted")
	require.NotContains(t, p.said.String(), "level=ERROR")
}
