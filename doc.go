// Package robotsaudit audits web archives against robots.txt, from the archives alone: what each
// crawler was allowed to fetch when it fetched it, and what pages and sites said of the use of what
// they hold.
//
// [Audit] reads archives and writes an output folder, as the command 'robotsaudit audit' does. The
// folder holds the tables in Parquet, audit.json and report.html, which docs/SCHEMA.md describes.
// [Open] opens such a folder. [Results] yields what it found as plain findings:
//
//	res, err := robotsaudit.Audit(ctx, robotsaudit.Options{Inputs: []string{"crawl.warc.gz"}, Dir: "out"})
//	if err != nil {
//		return err
//	}
//	for f, err := range res.Violations(ctx) {
//		if err != nil {
//			return err
//		}
//		fmt.Println(f.Certainty, f.URL, f.Rule)
//	}
//
// A violation is no proof of wrongdoing: robots.txt is a request (RFC 9309 §1). What verdicts,
// classes and reasons mean is in docs/SEMANTICS.md.
//
// Other packages give more. ingest reads archives into facts, evaluate decides them, report writes
// the tables. These three and this one keep their promise: until 1.0 a minor version may change
// them, as CHANGELOG says, and then only a major one. Packages below them change at any time. What
// they export is what another package here uses.
package robotsaudit
