module github.com/ofmcast/ofmcast/internal/bench

go 1.25.0

require (
	github.com/gopacket/gopacket v1.7.7
	github.com/ofmcast/ofmcast v0.0.0
	github.com/stretchr/testify v1.12.1
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect

replace github.com/ofmcast/ofmcast => ../../
