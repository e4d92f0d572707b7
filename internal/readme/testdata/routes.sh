# Runs the program $1, a multicast router from eth0 to eth1, in the network namespace that this is started in, sends to two
# groups into eth0 until the kernel has routes for both, and shows these.
set -eu
ip link set lo up
ip link add name eth0 type veth peer name sender
ip link add name eth1 type veth peer name receiver
for i in eth0 eth1 sender receiver; do ip link set "$i" up; done
ip address add 192.0.2.254/24 dev eth0
ip address add 192.0.2.1/24 dev sender
ip address add 198.51.100.1/24 dev eth1
ip route add 239.0.0.0/8 dev sender src 192.0.2.1
# Sender and router are one host here, which the kernel otherwise takes for a forged source.
for s in all eth0; do
	echo 1 >/proc/sys/net/ipv4/conf/$s/accept_local
	echo 0 >/proc/sys/net/ipv4/conf/$s/rp_filter
done
"$1" &
for _ in $(seq 100); do
	sleep 0.1
	for group in 239.1.1.1 239.2.2.2; do echo >"/dev/udp/$group/5000"; done
	[ "$(ip mroute | grep -c Iif)" -lt 2 ] || break
done
ip mroute | sed 's/  */ /g; s/ *$//' | sort
kill $!
