package report

// Place identifies a fetch of an audit.
type Place struct {
	URL, Filename string
	Offset        int64
	RecordID      string
}

// Place is where the fetch of a row is. Rows of group_verdicts and usage_signals do not have the record ID.
func (r *FetchRow) Place() Place {
	return Place{r.URL, r.WARCFilename, r.WARCRecordOffset, r.WARCRecordID}
}

func (r *ViolationRow) Place() Place {
	return Place{r.URL, r.WARCFilename, r.WARCRecordOffset, r.WARCRecordID}
}

func (r *RestrictionRow) Place() Place {
	return Place{r.URL, r.WARCFilename, r.WARCRecordOffset, r.WARCRecordID}
}

func (r *GroupVerdictRow) Place() Place {
	return Place{URL: r.URL, Filename: r.WARCFilename, Offset: r.WARCRecordOffset}
}

func (r *UsageSignalRow) Place() Place {
	return Place{URL: r.URL, Filename: r.WARCFilename, Offset: r.WARCRecordOffset}
}

// Key is by what a row is in a part of an audit: a host, a time in microseconds, nil for none, and a crawler.
func (r *FetchRow) Key() (host string, at *int64, agent string) {
	return r.HostName, r.FetchTime, r.Agent
}

func (r *ViolationRow) Key() (host string, at *int64, agent string) {
	return r.HostName, r.FetchTime, r.Agent
}

func (r *RestrictionRow) Key() (host string, at *int64, agent string) {
	return r.HostName, r.FetchTime, r.Agent
}

func (r *RobotsRow) Key() (host string, at *int64, agent string) {
	return r.HostName, r.FetchTime, r.Agent
}

func (r *ExclusionRow) Key() (host string, at *int64, agent string) {
	return r.HostName, r.LogTime, r.Agent
}

// Fetch has those columns of a disallowed fetch that fetches has, too, and that readers of verdicts need.
func (r *ViolationRow) Fetch() FetchRow {
	return FetchRow{
		FetchedURL:  FetchedURL{r.URL, r.HostName, r.RegisteredDomain, r.Origin, r.FetchTime},
		FetchMethod: r.FetchMethod, FetchStatus: r.FetchStatus, RecordType: r.RecordType,
		RecordPlace:  RecordPlace{r.WARCFilename, r.WARCRecordOffset, r.WARCRecordLength, r.WARCRecordID},
		CrawlerToken: r.CrawlerToken, Decision: r.Decision, Certainty: r.Certainty, Notes: r.Notes,
		RuleLine: r.RuleLine,
	}
}
