package outfolder

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/internal/agents"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// PartFlags are the options that limit a command to a part of an audit.
type PartFlags struct {
	since, until, crawler, operatorOf string
	hosts                             []string
	Part                              results.Part
}

// AddTo adds the flags.
func (f *PartFlags) AddTo(flags *pflag.FlagSet) {
	flags.StringVar(&f.since, "since", "",
		"only fetches from `DATE` on: 2025-05-01, a day in UTC, or a moment as 2025-05-01T12:00:00Z; or today or now")
	flags.StringVar(&f.until, "until", "", "only fetches up to `DATE`, that day or moment included")
	flags.StringArrayVar(&f.hosts, "host", nil,
		"only fetches from `HOST`: example.org, without www.example.org; or *.example.org, its subdomains (repeatable)")
	flags.StringVar(&f.crawler, "crawler-only", "",
		"only fetches by the crawler with product token `TOKEN`; - is crawlers without a name")
	flags.StringVar(&f.operatorOf, "operator-of", "",
		"only fetches by the crawlers of the operator of `TOKEN`: GPTBot is all of OpenAI (see 'robotsaudit agents')")
}

// Resolve reads the part that the flags name.
func (f *PartFlags) Resolve() (err error) {
	p := &f.Part
	if p.Since, err = usage.Date("since", f.since); err != nil {
		return err
	}
	if p.Until, err = usage.Date("until", f.until); err != nil {
		return err
	}
	if !p.Since.IsZero() && !p.Until.IsZero() && p.Since.First().After(p.Until.Last()) {
		return usage.Errorf("--since %s is after --until %s; exchange them", f.since, f.until)
	}
	for _, s := range f.hosts {
		host, err := results.ParseHost(s)
		if err != nil {
			return usage.Errorf("--host: %v", err)
		}
		p.Hosts = append(p.Hosts, host)
	}
	if p.Crawler = f.crawler; f.crawler != "" && f.crawler != results.NoCrawler {
		if fault := agents.TokenFault(f.crawler); fault != "" {
			return usage.Errorf("--crawler-only: %q is no product token: %s", f.crawler, fault)
		}
	}
	if f.operatorOf == "" {
		return nil
	}
	known, isKnown := agents.Find(f.operatorOf)
	switch {
	case f.crawler != "":
		return usage.Errorf("--crawler-only is one crawler, and --operator-of all of an operator; leave out one")
	case !isKnown || known.Operator == "":
		return usage.Errorf("--operator-of: no operator of %q is known; 'robotsaudit agents' has the ones that are", f.operatorOf)
	case known.Kind == agents.Software:
		return usage.Errorf("--operator-of: %s is software that anybody runs, so its operator is not known; "+
			"name it with --crawler-only", known.Token)
	}
	p.Operator = known.Operator
	return nil
}

// Limit limits results to the part. At least one of them must have fetches of it.
func (f *PartFlags) Limit(cmd *cobra.Command, all ...**results.Results) error {
	var absent *results.AbsentError
	there := false
	for _, r := range all {
		var err error
		if *r, err = (*r).Limit(cmd.Context(), f.Part); err == nil {
			err = (*r).CheckPart(cmd.Context())
		}
		if err != nil && !errors.As(err, &absent) {
			return err
		}
		there = there || err == nil
	}
	if !there {
		return usage.Errorf("%v", absent)
	}
	return nil
}
