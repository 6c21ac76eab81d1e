package export

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/robotsaudit/robotsaudit/internal/weburl"
	"github.com/robotsaudit/robotsaudit/report"
	"github.com/robotsaudit/robotsaudit/report/results"
)

// HostAnnotation is a row that joins Common Crawl's host index.
type HostAnnotation struct {
	SURTHost string `parquet:"surt_host_name,delta"`
	Crawl    string `parquet:"crawl,dict"`
	Annotated
}

// URLAnnotation is a row that joins Common Crawl's URL index.
type URLAnnotation struct {
	SURTKey   string `parquet:"url_surtkey,delta"`
	Crawl     string `parquet:"crawl,dict"`
	FetchTime *int64 `parquet:"fetch_time,optional,timestamp(microsecond)"`
	Annotated
}

// Annotated are the columns of an annotation that a join adds to the index.
type Annotated struct {
	List    string `parquet:"robotsaudit_list,dict"`
	Reason  string `parquet:"robotsaudit_reason,dict"`
	Detail  string `parquet:"robotsaudit_detail,dict"`
	Verdict string `parquet:"robotsaudit_verdict,dict"`
	Class   string `parquet:"robotsaudit_class,optional,dict"`
	Agent   string `parquet:"robotsaudit_agent,optional,dict"`
	Purpose string `parquet:"robotsaudit_purpose,optional,dict"`
	Fetches int64  `parquet:"robotsaudit_fetches"`
	Dropped int64  `parquet:"robotsaudit_dropped"`
	Kept    int64  `parquet:"robotsaudit_kept"`
}

// byMoment is the kind of a list with a row for each url_surtkey and moment, as a row of Common Crawl's URL
// index is known.
const byMoment By = "moment"

// WriteAnnotation writes a Parquet file in the form of Common Crawl's index annotations
// (github.com/commoncrawl/cc-index-annotations), by host or by URL: with rows of all lists, unless o.List is one.
func WriteAnnotation(ctx context.Context, w io.Writer, r *results.Results, o Options, crawl string) (s Summary,
	err error,
) {
	if o.By == ByURL {
		o.By = byMoment
	}
	err = makeList(r, o, func(l *list) error {
		defer func() { s = l.summary }()
		if o.By == ByHost {
			return writeRows(ctx, l, w, Parquet, func(e *entry) HostAnnotation {
				return HostAnnotation{weburl.SURTHost(e.SURTKey), crawl, annotated(e)}
			})
		}
		return writeRows(ctx, l, w, Parquet, func(e *entry) URLAnnotation {
			return URLAnnotation{e.SURTKey, crawl, e.time(), annotated(e)}
		})
	})
	return s, err
}

func annotated(e *entry) Annotated {
	return Annotated{
		e.Fate.String(), e.Reason, e.Detail, e.Verdict.String(), e.Class, e.Agent, e.Purpose, e.Fetches, e.Dropped,
		e.Kept,
	}
}

// WriteJoin writes the YAML by which annotate.py of cc-index-annotations joins an annotation, whose file is in the
// folder in which that runs.
func WriteJoin(w io.Writer, by By, file string) error {
	row := reflect.TypeFor[URLAnnotation]()
	if by == ByHost {
		row = reflect.TypeFor[HostAnnotation]()
	}
	quoted, err := json.Marshal("./" + file) // a text of JSON is one of YAML
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Verdicts by robots.txt, of robotsaudit %s; they are not Common Crawl's.\n", report.Version())
	fmt.Fprintf(&b, "table:\n  local: %s\nright_columns:\n", quoted)
	fields := report.FieldsOf(row)
	join := "join_columns:\n"
	for i := range fields {
		if name := fields[i].Name; strings.HasPrefix(name, "robotsaudit_") {
			b.WriteString("- " + name + "\n")
		} else {
			join += "- " + name + "\n"
		}
	}
	_, err = io.WriteString(w, b.String()+join)
	return err
}
