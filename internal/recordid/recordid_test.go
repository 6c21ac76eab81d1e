package recordid

import "testing"

func TestPack(t *testing.T) {
	for in, size := range map[string]int{
		"urn:uuid:12345678-9abc-def0-1234-56789abcdef0": 17,
		"urn:uuid:12345678-9ABC-DEF0-1234-56789ABCDEF0": 45, // upper case would come back lower
		"urn:uuid:123456789abc-def0-1234-56789abcdef0-": 45,
		"urn:uuid:12345678-9abc-def0-1234-56789abcdeg0": 45,
		"urn:uuid:":                   9,
		"http://archive.example/id/1": 27,
		"":                            0,
	} {
		packed := in
		if uuid, ok := AppendUUID(nil, []byte(in)); ok {
			packed = string(uuid)
		}
		if len(packed) != size {
			t.Errorf("%q packed to %d bytes, want %d", in, len(packed), size)
		}
		if back := Text(packed); back != in {
			t.Errorf("%q came back as %q", in, back)
		}
	}
}
