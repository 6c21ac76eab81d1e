package useragent

// IsCommon reports whether a name in a User-Agent is that of no crawler.
func IsCommon(name string) bool { return generic[name] || browsers[name] }
