// Package words is the registry of what verdicts are made of: each verdict, reason, note, class of certainty,
// outcome and kind of issue stands here once, with all that is said of it.
//
// It is pure data, and knows no other package.
package words
