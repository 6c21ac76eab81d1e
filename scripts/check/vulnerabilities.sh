#!/usr/bin/env bash
# No known vulnerability is in what the program calls: govulncheck, where its database can be reached.
#
#     vulnerabilities
set -euo pipefail
cd "$(dirname "$0")/../.."
if ! curl -sf --max-time 30 -o /dev/null "${GOVULNDB:-https://vuln.go.dev}/index/db.json"; then
	echo "skipped: the database of vulnerabilities is not reached from here"
	exit
fi
go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...
