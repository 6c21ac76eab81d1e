//go:build releasefiles

// With this tag the program writes the additional files of a release, and nothing else: man
// pages and shell completions. scripts/make/files.py runs it.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
)

func init() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: robotsaudit DIR")
		os.Exit(int(usage.ExitUsage))
	}
	if err := writeReleaseFiles(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(int(usage.ExitFailed))
	}
	os.Exit(int(usage.ExitDone))
}

// keepLines indents lists of help as Markdown, which man pages are made of, keeps their lines.
func keepLines(cmd *cobra.Command) {
	cmd.Long = strings.ReplaceAll(cmd.Long, "\n  ", "\n    ")
	for _, below := range cmd.Commands() {
		keepLines(below)
	}
}

// writeReleaseFiles writes man pages, dated by SOURCE_DATE_EPOCH, and completions into a folder.
func writeReleaseFiles(dir string) error {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return errors.New("SOURCE_DATE_EPOCH is not set to the seconds of a date")
	}
	date := time.Unix(seconds, 0).UTC()
	root := newRootCommand()
	root.DisableAutoGenTag = true
	keepLines(root)
	man, completions := filepath.Join(dir, "man"), filepath.Join(dir, "completions")
	if err := errors.Join(os.MkdirAll(man, 0o777), os.MkdirAll(completions, 0o777)); err != nil {
		return err
	}
	header := doc.GenManHeader{
		Title: "ROBOTSAUDIT", Section: "1", Source: "robotsaudit", Manual: "robotsaudit",
		Date: &date,
	}
	if err := doc.GenManTree(root, &header, man); err != nil {
		return err
	}
	return errors.Join(
		root.GenBashCompletionFileV2(filepath.Join(completions, "robotsaudit.bash"), true),
		root.GenZshCompletionFile(filepath.Join(completions, "robotsaudit.zsh")),
		root.GenFishCompletionFile(filepath.Join(completions, "robotsaudit.fish"), true),
		root.GenPowerShellCompletionFileWithDesc(filepath.Join(completions, "robotsaudit.ps1")),
	)
}
