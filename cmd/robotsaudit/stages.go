package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/evaluation"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/inputs"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/outfolder"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/stages"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/ingest"
	"github.com/robotsaudit/robotsaudit/report"
)

// The stages of an audit, for engines that run tasks on many machines: docs/SCALE.md. 'ingest' with
// --shard is one of them. They are in no short help.

const stagesHelp = `The stages are: plan, ingest --shard, resolve, decide, finish. docs/SCALE.md describes them.`

func newStageCommands() []*cobra.Command {
	commands := []*cobra.Command{newPlanCommand(), newResolveCommand(), newDecideCommand(), newFinishCommand()}
	for _, cmd := range commands {
		cmd.Hidden = true
		cmd.Long += "\n\n" + stagesHelp + "\n\n"
		if cmd.Flags().Lookup("fail-on") != nil {
			cmd.Long += usage.FailOnExitHelp
		} else {
			cmd.Long += usage.ExitHelp
		}
	}
	return commands
}

func addFacts(flags *pflag.FlagSet, uri *string) {
	flags.StringVar(uri, "facts", "", "`URI` of what all stages share: a folder, or s3://BUCKET/PREFIX (required)")
}

// openPlan opens the store of --facts and reads the plan in it.
func openPlan(cmd *cobra.Command, uri string) (stages.Store, *stages.Plan, error) {
	s, err := openStore("--facts", uri)
	if err != nil {
		return nil, nil, err
	}
	p, err := stages.Load(cmd.Context(), s)
	return s, p, err
}

// openStore opens the store that --facts or -o names.
func openStore(flag, uri string) (stages.Store, error) {
	switch {
	case uri == "" && flag == "-o":
		return nil, usage.Errorf("no output folder given; add -o URI")
	case uri == "":
		return nil, usage.Errorf("no place for the facts given; add --facts URI, a folder that all machines share, " +
			"or s3://BUCKET/PREFIX")
	}
	if err := usage.RefuseFile(uri); err != nil {
		return nil, err
	}
	s, err := stages.OpenStore(uri)
	if err != nil {
		return nil, usage.Errorf("%s: %v", flag, err)
	}
	return s, nil
}

func newPlanCommand() *cobra.Command {
	var uri string
	var shards int
	var in inputs.Flags
	var e evaluation.Flags
	cmd := &cobra.Command{
		Use:   "plan INPUT... --shards N --facts URI",
		Short: "Plan an audit in stages",
		Long: `Write a plan to URI: the inputs of an audit, its settings, and the shards in which it is read. All
settings are given here; the other stages take them from the plan.

` + inputs.Help + `
An archive cannot be standard input: a task may have to read it again.

` + evaluation.Help,
		Example: `  robotsaudit plan archives/ --shards 50 --facts /shared/facts --agents ai
  robotsaudit ingest --shard 0/50 --facts /shared/facts         and 1/50 to 49/50
  robotsaudit resolve --facts /shared/facts
  robotsaudit decide --buckets 0/128 --facts /shared/facts -o /shared/out    and 1/128 to 127/128
  robotsaudit finish -o /shared/out`,
		Args: inputs.Args,
	}
	flags := cmd.Flags()
	addFacts(flags, &uri)
	flags.IntVar(&shards, "shards", 0, "`N` shards that the inputs are read in (required)")
	in.AddTo(flags, inputs.RelativeLines)
	e.AddSettings(flags)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !cmd.Flags().Changed("shards") {
			return usage.Errorf("no number of shards given; add --shards N")
		}
		if shards < 1 || shards > stages.MaxShards {
			return usage.Errorf("--shards %d: give 1 to %d", shards, stages.MaxShards)
		}
		if err := inputs.RefuseSecrets(cmd, slices.Concat(args, in.URLs)); err != nil {
			return err
		}
		s, err := openStore("--facts", uri)
		if err != nil {
			return err
		}
		if err := e.Resolve(); err != nil {
			return err
		}
		log := console.Logger(cmd)
		e.Warn(log)
		inputs, failures, err := inputs.Find(cmd, log, args, in.URLs)
		if err != nil {
			return err
		}
		p, err := stages.New(inputs, failures, shards, in.Options, e.Options, e.Tables, e.Ranks)
		if err != nil {
			return usage.Errorf("%v", err)
		}
		if err := p.Save(cmd.Context(), s, e.RanksFile); err != nil {
			return err
		}
		return console.Say(cmd, "plan %s: %s in %s; next, for each I from 0 to %d: robotsaudit ingest --shard I/%d --facts %s",
			p.ID, report.Count(int64(len(inputs)), "archive"), report.Count(int64(shards),
				"shard"), shards-1, shards, uri)
	}
	return cmd
}

// oneOf reads I/N: the number of a task, from 0, and how many there are.
func oneOf(flag, text string) (n, of int, err error) {
	number, count, found := strings.Cut(text, "/")
	n, err1 := strconv.Atoi(number)
	of, err2 := strconv.Atoi(count)
	if !found || err1 != nil || err2 != nil || n < 0 || n >= of {
		return 0, 0, usage.Errorf("--%s %q: give a number, from 0, and how many there are: 0/50 is the first of "+
			"fifty, 49/50 the last", flag, text)
	}
	return n, of, nil
}

// shardFlags are the options of 'ingest' as a stage.
type shardFlags struct{ facts, shard string }

func (f *shardFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.facts, "facts", "", "")
	flags.StringVar(&f.shard, "shard", "", "")
	flags.MarkHidden("facts")
	flags.MarkHidden("shard")
}

func (f *shardFlags) given(cmd *cobra.Command) bool {
	return cmd.Flags().Changed("facts") || cmd.Flags().Changed("shard")
}

// args refuses what the plan defines.
func (f *shardFlags) args(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage.Errorf("a shard is of the inputs of the plan: leave out %q", args[0])
	}
	allowed := []string{"facts", "shard", "workers", "s3-endpoint", "s3-anonymous"}
	var other string
	cmd.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) {
		if flag.Changed && !slices.Contains(allowed, flag.Name) {
			other = flag.Name
		}
	})
	if other != "" {
		return usage.Errorf("a shard is read as the plan says: leave out --%s", other)
	}
	return nil
}

func (f *shardFlags) run(cmd *cobra.Command, opt ingest.ReadOptions) error {
	n, of, err := oneOf("shard", f.shard)
	if err != nil {
		return err
	}
	log := console.Logger(cmd)
	s, p, err := openPlan(cmd, f.facts)
	if err != nil {
		return err
	}
	if of != p.Shards {
		return usage.Errorf("--shard %s: the plan in %s has %d shards", f.shard, s, p.Shards)
	}
	var c *stages.Commit
	err = inputs.Watch(cmd, log, new(ingest.Progress), &opt, "%s: %s", func() error {
		c, err = stages.Read(cmd.Context(), s, p, n, opt)
		return err
	})
	if err != nil {
		return err
	}
	if c.ExitCode == int(usage.ExitUnread) {
		log.Warn(fmt.Sprintf("shard %d: some input could not be read completely; this is noted, and 'finish' reports it", n))
	}
	return console.Say(cmd, "shard %d of %d: %s", n, of, report.Count(c.Fetches, "fetch"))
}

func newResolveCommand() *cobra.Command {
	var uri string
	var workers int
	cmd := &cobra.Command{
		Use:     "resolve --facts URI",
		Short:   "Find out what each robots.txt of all shards came to",
		Long:    `Follow each robots.txt of all shards through revisits and redirects, once all are read.`,
		Example: `  robotsaudit resolve --facts /shared/facts`,
		Args:    usage.NoArgs,
	}
	addFacts(cmd.Flags(), &uri)
	usage.AddWorkers(cmd.Flags(), &workers, "parts of the hosts worked on at a time")
	inputs.AddStore(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		s, p, err := openPlan(cmd, uri)
		if err != nil {
			return err
		}
		if _, err := stages.Resolve(cmd.Context(), s, p, workers); err != nil {
			return err
		}
		return console.Say(cmd, "resolved; next, for as many parts M as you like, and each J from 0 to M-1: "+
			"robotsaudit decide --buckets J/M --facts %s -o URI", uri)
	}
	return cmd
}

func newDecideCommand() *cobra.Command {
	var uri, output, buckets string
	cmd := &cobra.Command{
		Use:   "decide --buckets J/M --facts URI -o URI",
		Short: "Decide a range of the fetches",
		Long: `Decide the J-th of M ranges of the fetches, from 0, once all is resolved. Ranges are about equally
large: the fetches of a large host are divided by time.`,
		Example: `  robotsaudit decide --buckets 0/128 --facts /shared/facts -o /shared/out`,
		Args:    usage.NoArgs,
	}
	addFacts(cmd.Flags(), &uri)
	cmd.Flags().StringVarP(&output, "output", "o", "",
		"`URI` of the results: a folder, made where there is none, or s3://BUCKET/PREFIX (required)")
	cmd.Flags().StringVar(&buckets, "buckets", "",
		"`J/M`: the range, from 0, and how many there are, 1024 at most (required)")
	inputs.AddStore(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		n, of, err := oneOf("buckets", buckets)
		if err != nil {
			return err
		}
		if of > stages.MaxRanges {
			return usage.Errorf("--buckets %s: there are %d ranges at most", buckets, stages.MaxRanges)
		}
		out, err := openStore("-o", output)
		if err != nil {
			return err
		}
		s, p, err := openPlan(cmd, uri)
		if err != nil {
			return err
		}
		c, err := stages.Decide(cmd.Context(), s, out, p, n, of, nil)
		if err != nil {
			return err
		}
		return console.Say(cmd, "range %d of %d: %s", n, of, report.Count(c.Fetches, "fetch"))
	}
	return cmd
}

func newFinishCommand() *cobra.Command {
	var uri, output string
	var e evaluation.Flags
	cmd := &cobra.Command{
		Use:   "finish -o URI",
		Short: "Put together what all ranges came to",
		Long: `Check that all ranges of a plan are decided, put the tables in their places, and write
audit.json and report.html. Each table is a folder of files.`,
		Example: `  robotsaudit finish -o /shared/out
  duckdb -c "SELECT certainty, count(*) FROM '/shared/out/violations/*.parquet' GROUP BY ALL"`,
		Args: usage.NoArgs,
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "`URI` that 'decide' wrote to (required)")
	cmd.Flags().StringVar(&uri, "facts", "", "`URI` of the plan, if the output folder has ranges of several")
	e.AddOutcome(cmd.Flags())
	inputs.AddStore(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		log := console.Logger(cmd)
		out, err := openStore("-o", output)
		if err != nil {
			return err
		}
		if uri == "" {
			if uri, err = stages.FactsOf(cmd.Context(), out); err != nil {
				return err
			}
		}
		s, p, err := openPlan(cmd, uri)
		if err != nil {
			return err
		}
		remote := strings.Contains(output, "://")
		if !remote {
			if err := outfolder.RefuseForeign(output); err != nil {
				return err
			}
		}
		done, err := stages.Finish(cmd.Context(), s, out, p)
		if err != nil {
			return err
		}
		e.Tables, e.Options.Crawler = p.Tables, p.Settings.Crawler
		outfolder.ReportUnread(log, done.Facts, nil)
		e.WarnOfIdle(log, done.Totals)
		return tellResults(cmd, &e, output, done.Audit)
	}
	return cmd
}
