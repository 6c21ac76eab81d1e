package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/outfolder"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/evidence"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// robotsList is the list of export that is archives: all of robots.txt.
const robotsList = "robots"

// exportRobots writes all captures of robots.txt of an audit to archives in a new folder.
func exportRobots(cmd *cobra.Command, dir, to string) error {
	if to == "-" {
		return usage.Errorf("robots.txt is written to a new folder; name it with --to FOLDER")
	}
	if _, err := os.Lstat(to); err == nil {
		return usage.Errorf("%s exists; name a new folder", to)
	}
	return outfolder.In(cmd, dir, func(r *results.Results) error {
		found, err := evidence.WriteRobots(cmd.Context(), r.Dir(), to)
		if err != nil {
			return err
		}
		for _, m := range found.Missing {
			console.Logger(cmd).Error(fmt.Sprintf("%s: %s; %s left out that it is needed for", console.OneLine(m.Name),
				console.OneLine(m.Reason), report.Count(m.Affected, "capture")))
		}
		text := fmt.Sprintf("%s: %s of robots.txt, %s, of %s.", to, report.Count(found.Captures, "capture"),
			report.Count(found.Records, "record"), report.Count(found.Archives, "archive"))
		if found.Reported > 0 {
			text += fmt.Sprintf(" %s left out that only an index or a list reports.", report.Count(found.Reported, "capture"))
		}
		if err := console.Say(cmd, "%s", text); err != nil || found.Lacking == 0 {
			return err
		}
		console.Logger(cmd).Error(report.Count(found.Lacking, "record") + " not found in the archives, and left out")
		return usage.ExitUnread
	})
}
