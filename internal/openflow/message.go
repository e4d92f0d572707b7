package openflow

// Versions as they stand in the first byte of a message.
const (
	Version13 = 4
	Version15 = 6
)

// Message types (OpenFlow 1.5.1, 7.1.1; those up to 29 are the same in 1.3).
const (
	TypeHello            = 0
	TypeError            = 1
	TypeEchoRequest      = 2
	TypeEchoReply        = 3
	TypeExperimenter     = 4
	TypeFeaturesRequest  = 5
	TypeFeaturesReply    = 6
	TypeGetConfigRequest = 7
	TypeGetConfigReply   = 8
	TypeSetConfig        = 9
	TypePacketIn         = 10
	TypeFlowRemoved      = 11
	TypePortStatus       = 12
	TypePacketOut        = 13
	TypeFlowMod          = 14
	TypeGroupMod         = 15
	TypeMultipartRequest = 18
	TypeMultipartReply   = 19
	TypeBarrierRequest   = 20
	TypeBarrierReply     = 21
	TypeRoleRequest      = 24
	TypeRoleReply        = 25
	TypeSetAsync         = 28
	TypeMeterMod         = 29
	TypeRoleStatus       = 30 // 1.5 only; 1.3 has an experimenter message for it
	TypeRequestForward   = 32 // 1.5 only, as above
	TypeBundleControl    = 33 // 1.5 only, as above
	TypeBundleAdd        = 34 // 1.5 only, as above
)

// Multipart types (OpenFlow 1.5.1, 7.3.5) and the flag of an unfinished multipart.
const (
	MultipartFlow          = 1 // with the flows' descriptions in 1.5 too
	MultipartAggregate     = 2
	MultipartPortStats     = 4
	MultipartGroup         = 6 // group statistics
	MultipartGroupDesc     = 7
	MultipartGroupFeatures = 8
	MultipartMeter         = 9 // meter statistics
	MultipartPortDesc      = 13

	MultipartMore = 1 << 0 // in flags: more parts follow under the same XID

	// MultipartHeaderLen is the header, the type, the flags and four bytes of
	// padding, in requests and replies alike.
	MultipartHeaderLen = 16
)

// Subtypes of the TypeExperimenter messages of NiciraVendor.
const (
	NiciraSetPacketInFormat = 16
	NiciraSetControllerID   = 20
	NiciraSetAsyncConfig2   = 27 // what OFPT_SET_ASYNC is in 1.5, for 1.3
	NiciraPacketIn2         = 30
)

// Subtypes of the TypeExperimenter messages of ONFVendor, which stand for messages of 1.5
// in 1.3. Those about bundles are in bundle.go.
const (
	ONFRoleStatus     = 1911
	ONFRequestForward = 2350
)
