#!/usr/bin/env bash
# A release of the last commit, built twice and not published: the same bytes; deb and rpm; arm64 under qemu; the image; recipes.
#
#     release [DIR]          keeps the release in DIR
#
# - both builds have the same bytes, and so have the wheels and the sdist of the Python package;
# - all archives and packages have the program, man pages and completions, and every program has a
#   bill of materials;
# - the deb installs into an empty root, and the program runs there, with nothing else;
# - the rpm unpacks to the same program;
# - the program for arm64, under qemu-user, writes the tables that the one for amd64 writes, byte for byte;
# - the image has the same programs, and audits as its user;
# - the recipes of packaging/ install it: see `packagers`.
#
# Needs Linux on amd64, Go, git, and for some tries root, dpkg, rpm, rpm2cpio, cpio, skopeo and
# qemu-aarch64-static; what is missing is skipped with a line. GORELEASER may name a goreleaser to
# use. Not tried, for want of the systems: running on macOS, Windows and FreeBSD.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
goreleaser=${GORELEASER:-go run github.com/goreleaser/goreleaser/v2@v2.16.0}
version=v0.0.1 # of the try: a tag in its clones alone
work=$(mktemp -d)
failed=0
fail() { echo "FAILED: $*"; failed=1; }
has() { for c in "$@"; do command -v "$c" >/dev/null || return 1; done; }
clean() {
	chmod -R u+w "$work"
	rm -rf "$work"
}
trap clean EXIT

git clone -q --bare "$here" "$work/source"
git -C "$work/source" tag $version
for n in 1 2; do
	git clone -q "$work/source" "$work/build-$n/robotsaudit"
	cd "$work/build-$n/robotsaudit"
	# shellcheck disable=SC2086 # it may be a command with arguments
	$goreleaser release --clean --skip=publish,announce >"$work/build-$n.log" 2>&1 || {
		tail -20 "$work/build-$n.log"
		exit 1
	}
	mv dist-wheels/* dist-image/* dist-app/robotsaudit-* dist
	mv dist "$work/dist-$n"
	cd "$work"
	rm -rf "build-$n"
done
if cmp dist-1/checksums.txt dist-2/checksums.txt; then
	echo "two builds, the same bytes: $(wc -l <dist-1/checksums.txt) files"
else
	fail "the builds differ: $(diff dist-1/checksums.txt dist-2/checksums.txt | grep '^<')"
fi
(cd dist-1 && sha256sum --quiet -c checksums.txt) || fail checksums
sed 's/^[0-9a-f]*  /  /' dist-1/checksums.txt

# beside NAME LIST: a package has what stands beside the program
beside() {
	for file in robotsaudit.1 robotsaudit-audit.1 robotsaudit.bash robotsaudit.fish; do
		grep -q "/$file\$" <<<"$2" || case $file in
		robotsaudit.bash) grep -q 'bash-completion/completions/robotsaudit$' <<<"$2" || fail "$1 has no $file" ;; # its name there
		*) fail "$1 has no $file" ;;
		esac
	done
}
shopt -s nullglob
for archive in dist-1/robotsaudit_*.tar.gz; do beside "$archive" "$(tar tzf "$archive")"; done
for archive in dist-1/*.zip; do beside "$archive" "$(python3 -m zipfile -l "$archive" | cut -d' ' -f1)"; done
[ "$(echo dist-1/robotsaudit_*.tar.gz dist-1/*.zip | wc -w)" = 8 ] || fail "not eight archives"
for program in dist-1/robotsaudit_*_*/robotsaudit*; do
	grep -q "$(sha256sum <"$program" | cut -d' ' -f1)" dist-1/*.cdx.json || fail "no bill of materials is of $program"
done

amd64=$(echo dist-1/robotsaudit_linux_amd64*/robotsaudit)
arm64=$(echo dist-1/robotsaudit_linux_arm64*/robotsaudit)
"$amd64" --version | grep -q "^robotsaudit $version " || fail "the version: $("$amd64" --version)"

if has dpkg && [ "$(id -u)" = 0 ]; then
	mkdir -p root/var/lib/dpkg/{info,updates,triggers}
	touch root/var/lib/dpkg/{status,available}
	dpkg --root="$work/root" --install dist-1/*_linux_amd64.deb >dpkg.log 2>&1 || fail "dpkg: $(cat dpkg.log)"
	cp -r "$here/testdata/warc" root/warc
	mkdir -p root/tmp
	env -u TMPDIR chroot root /usr/bin/robotsaudit audit /warc -o /out >chroot.log 2>&1 || fail "in the root: $(cat chroot.log)"
	beside "the deb" "$(find root/usr)"
	[ -s root/out/report.html ] && echo "the deb in an empty root: installs, and audits testdata/warc"
	grep -aq "robotsaudit version ${version#v}" root/out/fetches.parquet || fail "created_by"
else
	echo "skipped: the deb in an empty root, which needs dpkg and root"
fi

if has rpm rpm2cpio cpio; then
	rpm=$(echo dist-1/*_linux_amd64.rpm)
	[ "$(rpm -qp --qf '%{NAME} %{VERSION} %{ARCH} %{LICENSE}' "$rpm")" = "robotsaudit ${version#v} x86_64 Apache-2.0" ] || fail "$(rpm -qpi "$rpm")"
	rpm -K --nosignature "$rpm" >/dev/null || fail "digests of the rpm"
	mkdir rpm
	rpm2cpio "$rpm" >rpm.cpio || true # it ends with 1 where all is well; see below
	(cd rpm && cpio -id --quiet --no-absolute-filenames <../rpm.cpio 2>/dev/null) || fail "the rpm does not unpack"
	beside "the rpm" "$(find rpm/usr)"
	cmp rpm/usr/bin/robotsaudit "$amd64" && echo "the rpm: unpacks to the same program"
else
	echo "skipped: the rpm, which needs rpm, rpm2cpio and cpio"
fi

if has qemu-aarch64-static; then
	"$amd64" audit "$here/testdata/warc" -o out-amd64 >/dev/null || fail "amd64: exit code $?"
	qemu-aarch64-static "$arm64" audit "$here/testdata/warc" -o out-arm64 >/dev/null || fail "arm64: exit code $?"
	diff -rq -x .robotsaudit out-amd64 out-arm64 || fail "arm64: other bytes"
	echo "arm64 under qemu-user: the bytes that amd64 writes"
else
	echo "skipped: arm64, which needs qemu-aarch64-static (package qemu-user-static)"
fi

if has skopeo && [ "$(id -u)" = 0 ]; then
	image=$(echo dist-1/robotsaudit_*_image.tar)
	for processor in amd64 arm64; do
		skopeo --override-arch $processor copy -q "oci-archive:$image" "dir:image-$processor"
		mkdir "image-root-$processor"
		for layer in "image-$processor"/*; do # the others are JSON
			tar -xzf "$layer" -C "image-root-$processor" 2>/dev/null || true
		done
	done
	cmp image-root-amd64/robotsaudit "$amd64" || fail "the image for amd64 has another program"
	cmp image-root-arm64/robotsaudit "$arm64" || fail "the image for arm64 has another program"
	skopeo inspect "docker-archive:$image" | grep -q "\"org.opencontainers.image.version\": \"${version#v}\"" || fail "the labels of the image"
	grep -q '"bomFormat": "CycloneDX"' image-root-arm64/usr/share/doc/robotsaudit/robotsaudit.cdx.json || fail "the image's bill of materials"
	mkdir -m 777 image-root-amd64/data
	cp "$here"/testdata/warc/*.warc* image-root-amd64/data
	inside() { env -u TMPDIR chroot --userspec=65532:65532 image-root-amd64 /robotsaudit "$@"; }
	inside audit /data -o /data/out >/dev/null 2>&1 || fail "the image does not audit"
	inside ingest --check - <image-root-amd64/data/crawl-b-2.warc >/dev/null || fail "the image has no temporary folder"
	[ -s image-root-amd64/data/out/report.html ] && echo "the image: two processors, labels, and it audits testdata/warc as its user"
else
	echo "skipped: the image, which needs skopeo and root"
fi

"$here/scripts/check/run" packagers "$work/$amd64" "$work/dist-1" || fail recipes

if [ $# -gt 0 ]; then
	mkdir -p "$1"
	cp -r dist-1/. "$1"
fi
[ $failed = 0 ] && echo "all tries hold"
exit $failed
