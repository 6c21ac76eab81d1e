// Package tag reads what a page says about its own use: Robots-Tag and
// X-Robots-Tag header fields and robots metas (draft-illyes-repext-03), and usage
// signals (AIPREF's Content-Usage, Content-Signal, RSL, TDMRep).
//
// It is pure: no I/O, no logging, no clock.
//
// # In ingest
//
// Ingest keeps what might matter raw, so that it can be judged later for any
// product token without reading the archive again: header lines for which Keep is
// true, and of HTML what package markup finds in the decoded body, or the beginning of it.
//
//	found := scanner.Scan(page, charset, xml, more) // markup.Scanner
//	fetch.Metas = found.Encode()                    // "" where there is nothing to say
//
// Version is part of the facts' fingerprint.
//
// # In evaluate
//
//	headers := tag.ReadHeaders(fetch.PolicyHeaders)
//	kept, ok := tag.Decode(fetch.Metas)  // of the original where a revisit has no body
//	metas := kept.Read()
//	tags := append(headers.Tags, metas.Tags...)          // less metas of names that are no tokens
//	set := tag.Effective(tags, token)                    // for a fetch and a token
//	use.Binds(rule), set.Restrictions(use, moment)       // --purpose, --as-of
//
// A revisit or 304 carries its original's tags; a field of its own replaces the
// original's field of that name (§3.1.4): see Inherit.
//
// Signals of a page come with its headers and metas. The signals of an origin come once
// for a robots.txt and a tdmrep.json, then per path:
//
//	usage := tag.ReadRobots(file, profile)
//	signals := usage.For(file.For(token), path)
//	tdm := tag.TDM(tdmFile.For(path), headers.Signals, metas.Signals) // file < header < meta
//	signals = append(signals, tdm...)                     // and the page's other signals, and
//	signals = append(signals, tag.TagSignals(tags, token, isImage)...) // noai as a signal
//	tag.Prefers(signals, tag.PurposeTrainAI)
//	use.RestrictingSignals(signals)
//
// What a file or a page does not say, nobody may read as permission or as
// restriction: PreferenceUnstated.
package tag
