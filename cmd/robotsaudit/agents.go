package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/console"
	"github.com/robotsaudit/robotsaudit/cmd/robotsaudit/internal/usage"
	"github.com/robotsaudit/robotsaudit/internal/agents"
)

func newAgentsCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "agents [CATEGORY]",
		Short: "List known crawlers by their product tokens",
		Long: `Agents lists the crawlers that are known by name: product token, operator, what
their fetches are for, whether the token ever appears in a request, and the tokens
that the crawler is documented to obey where no group names its own. The kind says
whether the token names one operator's crawler, or software that anybody runs:
such a name is an identity within one run of a crawler alone. Control
tokens appear in no request: they state in robots.txt what another crawler's
fetches may be used for. CATEGORY is ` + strings.Join(agents.Names(), ", ") + `; all is the default.`,
		Example: `  robotsaudit agents ai
  robotsaudit agents archive --format json | jq -r '.[].token'`,
		ValidArgs: agents.Names(),
		Args:      cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			category := "all"
			if len(args) > 0 {
				category = args[0]
				if err := usage.NoArgs(cmd, args[1:]); err != nil {
					return err
				}
			}
			found, ok := agents.InCategory(category)
			if !ok {
				return usage.Errorf("unknown category %q: use %s", category, strings.Join(agents.Names(), ", "))
			}
			return console.PrintAs(cmd, format, found, func(w io.Writer) error { return writeAgents(w, found) })
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`FORMAT` of the output: text or json")
	return cmd
}

// writeAgents writes agents as a table.
func writeAgents(out io.Writer, list []agents.Agent) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TOKEN\tOPERATOR\tKIND\tCATEGORY\tFUNCTION\tIN REQUESTS\tALSO OBEYS")
	for _, a := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", a.Token, cmp.Or(a.Operator, "-"), a.Kind,
			strings.Join(a.Categories, ", "), cmp.Or(a.Function, "-"), a.Requests, cmp.Or(strings.Join(a.Obeys, ", "),
				"-"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%d tokens, as of %s\n", len(list), agents.Date())
	return err
}
