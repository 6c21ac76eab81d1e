package tag

import "testing"

func BenchmarkReadHeaders(b *testing.B) {
	for name, policy := range map[string]string{
		"legacy":     "X-Robots-Tag: googlebot: noindex, max-snippet:50",
		"structured": "Robots-Tag: *;nosnippet, ExampleBot;noindex",
		"date":       "X-Robots-Tag: unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT",
		"usage":      "Content-Usage: train-ai=n, search=y",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ReadHeaders(policy)
			}
		})
	}
}
