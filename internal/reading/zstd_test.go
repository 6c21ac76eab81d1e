package reading

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/robotsaudit/robotsaudit/internal/archive/warctest"
)

// TestZstd reads what the IIPC specification allows: the facts equal the facts of the
// same records in gzip members, and offsets cut out exactly the record.
func TestZstd(t *testing.T) {
	d := warctest.Dictionary(t)
	withDict := zstd.WithEncoderDict(d)
	want := read(t, warctest.GzipMembers(warctest.Crawl(robotsBody)...))
	for name, archive := range map[string][]byte{
		"no dictionary":  warctest.ZstdFrames(t, warctest.Crawl(robotsBody)),
		"no checksums":   warctest.ZstdFrames(t, warctest.Crawl(robotsBody), zstd.WithEncoderCRC(false)),
		"raw dictionary": append(warctest.Skippable(0xd, d), warctest.ZstdFrames(t, warctest.Crawl(robotsBody), withDict)...),
		"compressed dictionary": append(warctest.Skippable(0xd, warctest.ZstdFrame(t, string(d))),
			warctest.ZstdFrames(t, warctest.Crawl(robotsBody), withDict)...),
		"extension frames": bytes.Join([][]byte{
			warctest.Skippable(0xd, d), warctest.Skippable(3, []byte("between")), warctest.ZstdFrames(t, warctest.Crawl(robotsBody), withDict),
			warctest.Skippable(0, nil),
		}, nil),
		"an unused dictionary": append(warctest.Skippable(0xd, d), warctest.ZstdFrames(t, warctest.Crawl(robotsBody))...),
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, archive)
			if got.result.Container != "warc.zst" {
				t.Errorf("container %s", got.result.Container)
			}
			equal(t, "issues", got.kinds(), nil)
			equal(t, "fetches", got.fetches, want.fetches, apartFromPlace)
			equal(t, "bodies", got.bodies, want.bodies)
			equal(t, "of a pipe", readPipe(t, archive).fetches, want.fetches, apartFromPlace)
			head := 0
			if bytes.HasPrefix(archive, dictionaryMagic) {
				head = 8 + int(binary.LittleEndian.Uint32(archive[4:]))
			}
			for _, f := range got.fetches {
				alone := read(t, append(bytes.Clone(archive[:head]), archive[f.Offset:f.Offset+f.Length]...))
				if len(alone.fetches) != 1 || alone.fetches[0].URL != f.URL || alone.result.Lossy > 0 {
					t.Errorf("%s at %d+%d reads as %v, %v", f.URL, f.Offset, f.Length, alone.urls(), alone.kinds())
				}
			}
		})
	}
}

func TestZstdOneFrame(t *testing.T) {
	want := read(t, warctest.GzipMembers(warctest.Crawl(robotsBody)...))
	archive := warctest.ZstdFrame(t, string(warctest.Plain(warctest.Crawl(robotsBody)...)))
	got := read(t, archive)
	if got.result.Container != "warc in one zstd frame" || len(got.issues) > 0 {
		t.Errorf("container %s, issues %v", got.result.Container, got.kinds())
	}
	equal(t, "fetches", got.fetches, want.fetches, apartFromPlace)
}

// Records need not begin where frames do.
func TestZstdLayouts(t *testing.T) {
	want := read(t, warctest.GzipMembers(warctest.Crawl(robotsBody)...))
	all := string(warctest.Plain(warctest.Crawl(robotsBody)...))
	for _, size := range []int{333, 1000} {
		var archive []byte
		for rest := all; rest != ""; {
			n := min(size, len(rest))
			archive = append(archive, warctest.ZstdFrame(t, rest[:n])...)
			rest = rest[n:]
		}
		got := read(t, archive)
		equal(t, fmt.Sprint("issues of frames of ", size), got.kinds(), nil)
		equal(t, fmt.Sprint("fetches of frames of ", size), got.urls(), want.urls())
	}
}

func TestZstdRefusals(t *testing.T) {
	d := warctest.Dictionary(t)
	withDict := zstd.WithEncoderDict(d)
	other := bytes.Clone(d)
	other[4]++ // the id
	// a window of 128 MiB
	wide := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x04, 17 << 3, 1, 0, 0}
	// content of 1 TiB in a single segment
	long := append([]byte{0x28, 0xb5, 0x2f, 0xfd, 0xe4}, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1, 0, 0)
	for name, c := range map[string]struct {
		archive []byte
		issue   string
	}{
		"missing dictionary": {warctest.ZstdFrames(t, warctest.Crawl(robotsBody), withDict), "damaged_member"},
		"wrong dictionary": {
			append(warctest.Skippable(0xd, other), warctest.ZstdFrames(t, warctest.Crawl(robotsBody), withDict)...),
			"damaged_member",
		},
		"no dictionary in it": {append(warctest.Skippable(0xd, []byte("something else")),
			warctest.ZstdFrames(t, warctest.Crawl(robotsBody), withDict)...), "bad_dictionary"},
		"damaged dictionary": {append(warctest.Skippable(0xd, d[:len(d)/2]), warctest.ZstdFrames(t, warctest.Crawl(robotsBody), withDict)...), ""},
		"dictionary cut":     {warctest.Skippable(0xd, d)[:len(d)/2], "bad_dictionary"},
		"unnamed dictionary": {append(warctest.Skippable(0xd, d),
			unnamed(warctest.ZstdFrame(t, warctest.Crawl(robotsBody)[1].String(), withDict))...), "damaged_member"},
		"window":  {wide, "window_too_large"},
		"segment": {long, "window_too_large"},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, c.archive)
			if kinds := got.kinds(); len(got.fetches) > 0 || len(kinds) == 0 || c.issue != "" && kinds[0] != c.issue ||
				got.result.Lossy == 0 {
				t.Errorf("fetches %v, issues %v, want %s", got.urls(), got.issues, c.issue)
			}
			readPipe(t, c.archive)
		})
	}
}

// unnamed takes the dictionary's id out of a frame's header
// (RFC 8878 §3.1.1.1).
func unnamed(frame []byte) []byte {
	at := 5
	if frame[4]&0x20 == 0 { // not a single segment: a window follows
		at++
	}
	n := []int{0, 1, 2, 4}[frame[4]&3]
	out := append(bytes.Clone(frame[:at]), frame[at+n:]...)
	out[4] &^= 3
	return out
}

// For a flipped bit anywhere in a file of frames with checksums, no fetch is reported
// that is not in the whole file, and what is missing is an issue.
func TestZstdDamage(t *testing.T) {
	archive := warctest.ZstdFrames(t, warctest.Crawl(robotsBody))
	whole := make(map[string]bool)
	for _, f := range read(t, archive).fetches {
		whole[fmt.Sprint(f.URL, f.RecordID, f.Status, f.Micros)] = true
	}
	for _, at := range places(t, len(archive), 150) {
		damaged := bytes.Clone(archive)
		damaged[at] ^= 0x10
		got := read(t, damaged)
		for _, f := range got.fetches {
			if !whole[fmt.Sprint(f.URL, f.RecordID, f.Status, f.Micros)] {
				t.Fatalf("byte %d: forged %s", at, f.URL)
			}
		}
		if len(got.fetches) < len(whole) && got.result.Lossy == 0 {
			t.Fatalf("byte %d: %d of %d fetches and no issue", at, len(got.fetches), len(whole))
		}
	}
	for _, n := range places(t, len(archive), 150) {
		got := read(t, archive[:n])
		if len(got.fetches) > len(whole) {
			t.Fatalf("cut at %d: %d fetches", n, len(got.fetches))
		}
	}
}

// The zstd command reads the frames that are cut out of our test archives, and its
// own files are read.
func TestZstdCommand(t *testing.T) {
	command, err := exec.LookPath("zstd")
	if err != nil {
		t.Skip("skipped: the command zstd is absent")
	}
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		if out, err := exec.Command(command, args...).CombinedOutput(); err != nil {
			t.Fatalf("zstd %v: %v %s", args, err, out)
		}
	}
	var samples []string
	for i := range 400 {
		path := filepath.Join(dir, fmt.Sprint("sample", i))
		e := warctest.Response(fmt.Sprint("urn:", i), fmt.Sprint("http://h/", i),
			fmt.Sprintf("HTTP/1.1 200 OK\r\nServer: s%d\r\n\r\n<html>%d</html>", i, i*i))
		if err := os.WriteFile(path, []byte(e.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		samples = append(samples, path)
	}
	dict := filepath.Join(dir, "dict")
	run(append([]string{"-q", "--train", "--maxdict=4096", "-o", dict}, samples...)...)
	d, err := os.ReadFile(dict)
	if err != nil {
		t.Fatal(err)
	}
	for name, options := range map[string][]string{
		"plain": {"-19"}, "no checksum": {"--no-check"}, "dictionary": {"-D", dict},
		"ultra": {"--ultra", "-22", "--long=26"},
	} {
		t.Run(name, func(t *testing.T) {
			var archive []byte
			if name == "dictionary" {
				archive = warctest.Skippable(0xd, d)
			}
			for i, e := range warctest.Crawl(robotsBody) {
				path := filepath.Join(dir, fmt.Sprint("record", i))
				if err := os.WriteFile(path, []byte(e.String()), 0o666); err != nil {
					t.Fatal(err)
				}
				run(append([]string{"-q", "-f", path, "-o", path + ".zst"}, options...)...)
				frame, err := os.ReadFile(path + ".zst")
				if err != nil {
					t.Fatal(err)
				}
				archive = append(archive, frame...)
			}
			got := read(t, archive)
			equal(t, "issues", got.kinds(), nil)
			equal(t, "fetches", got.fetches, read(t, warctest.GzipMembers(warctest.Crawl(robotsBody)...)).fetches, apartFromPlace)
		})
	}
}
