package forms

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"github.com/robotsaudit/robotsaudit/evaluate"
	"github.com/robotsaudit/robotsaudit/report/prose"
)

// listed is the number of names of the template's list: the top 10 %, or, for small and medium-sized enterprises, the
// top 5 % or 1,000, whichever is less. A part of a name counts as one.
func listed(names int, sme bool) int {
	if sme {
		return min((names+19)/20, 1000)
	}
	return (names + 9) / 10
}

// WriteDomains writes the template's list of names as CSV.
func (f *Figures) WriteDomains(w io.Writer, sme bool) error {
	out := csv.NewWriter(w)
	header := []string{
		"rank", "name", "is_registered_domain", f.measure + "_distinct", "percent_of_distinct", f.measure + "_all", "fetches",
		"fetches_of_unknown_size",
	}
	for m := range evaluate.Modalities {
		if m > 0 {
			header = append(header, evaluate.Modality(m).String()+"_all")
		}
	}
	header = append(header, "modality_unknown_all", "first_month", "last_month")
	if err := out.Write(header); err != nil {
		return err
	}
	for i, n := range f.names[:listed(len(f.names), sme)] {
		row := []string{
			strconv.Itoa(i + 1), prose.Cell(n.key), strconv.FormatBool(n.isDomain),
			number(n.distinct), percent(n.distinct, f.content.distinct), number(n.bytes),
			number(n.fetches), number(n.unknown),
		}
		for _, bytes := range append(n.byKind[1:], n.byKind[0]) {
			row = append(row, number(bytes))
		}
		for _, at := range []*int64{n.first, n.last} {
			text, _ := month(at).(string)
			row = append(row, text)
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

func percent(part, whole int64) string {
	if whole == 0 {
		return ""
	}
	return fmt.Sprintf("%.3f", 100*float64(part)/float64(whole))
}
