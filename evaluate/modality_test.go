package evaluate

import "testing"

func TestModalityOf(t *testing.T) {
	for mediaType, want := range map[string]string{
		"": "", "unk": "", "text": "", "text/": "", "text/html": "text", "text/plain": "text",
		"application/xhtml+xml": "text", "application/ld+json": "text", "application/json": "text",
		"application/rss+xml": "text", "image/svg+xml": "image", "image/png": "image", "audio/mpeg": "audio",
		"video/mp4": "video", "application/pdf": "application", "application/octet-stream": "application",
		"font/woff2": "other", "multipart/x-mixed-replace": "other",
	} {
		if got := modalityOf(mediaType).String(); got != want {
			t.Errorf("%q: %q, want %q", mediaType, got, want)
		}
	}
}
