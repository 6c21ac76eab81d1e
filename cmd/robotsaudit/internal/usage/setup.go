package usage

import "github.com/spf13/cobra"

// SetUp completes the root command, once it has all others: its help, its mistakes, the values of flags.
func SetUp(root *cobra.Command) {
	root.PersistentFlags().String("config", "",
		"`FILE` in TOML with values of flags, as in output = \"out\"; a table such as [audit] is for that command")
	root.Args = cobra.ArbitraryArgs // one that names no command: cobra would word the error in its own way
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return Errorf("no command given; 'robotsaudit --help' lists them")
		}
		return unknownCommand(cmd, args[0])
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if args := cmd.Flags().Args(); cmd == root && len(args) > 0 { // before the flag, which is another command's
			return unknownCommand(cmd, args[0])
		}
		return flagError(cmd, err)
	})
	groupFlags(root)
	checkHelpArgs(root)
	completeFlags(root)
}

// Check gives flags the values that settings have for them, and refuses what cannot be meant in any command.
func Check(cmd *cobra.Command) error {
	for _, check := range [...]func(*cobra.Command) error{refuseStdin, applySettings, checkChoices, checkWorkers} {
		if err := check(cmd); err != nil {
			return err
		}
	}
	return nil
}
