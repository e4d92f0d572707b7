module github.com/ofmcast/ofmcast/internal/bench

go 1.25.0

require github.com/ofmcast/ofmcast v0.0.0

require (
	github.com/gopacket/gopacket v1.7.7 // indirect
	github.com/stretchr/testify v1.12.1 // indirect
	k8s.io/client-go v0.35.10 // indirect
)

replace github.com/ofmcast/ofmcast => ../../
