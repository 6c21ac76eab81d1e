package cdx

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// lineFormat is the format of the lines of a log: parts, and the literal text around them.
type lineFormat struct {
	begin  string
	pieces []formatPiece

	names     map[string]accessPart // of a template of JSON: the members of a line, as a.b if they stand in others
	hasMethod bool
}

type formatPiece struct {
	part   accessPart
	after  string // literal text up to the next part, or to the end of the line
	quoted bool   // a quote stands on both sides: one within is escaped
}

// usualFormats are those that are tried where --line-format names none. One with a virtual host is tried first: the
// other would take its host for the client. The last is that of Amazon's load balancers (ALB).
func usualFormats() (list []*lineFormat) {
	for _, text := range [...]string{
		`%v:%p %h %l %u %t "%r" %>s %O "%{Referer}i" "%{User-Agent}i"`,
		`%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"`,
		`%v:%p %h %l %u %t "%r" %>s %O`,
		`%h %l %u %t "%r" %>s %b`,
		`$scheme $time_iso8601 $elb $client_port $target $t1 $t2 $t3 $status $target_status $received $sent "$request" ` +
			`"$http_user_agent" $rest`,
	} {
		f, err := parseFormat(text)
		if err != nil {
			panic(err) // TestUsualFormats
		}
		list = append(list, f)
	}
	return list
}

// nginxNames are the variables of nginx, and with them the names that JSON lines of nginx have. $uri is left out: it is
// what a rewrite made of the request.
var nginxNames = map[string]accessPart{
	"remote_addr": partClient, "realip_remote_addr": partNone, "client_port": partClientPort,
	"time_local": partTimeLocal, "time_iso8601": partTime, "msec": partSeconds, "request_time": partTook,
	"request": partRequest, "request_method": partMethod, "request_uri": partTarget,
	"status": partStatus, "body_bytes_sent": partBytes,
	"host": partHost, "http_host": partHost, "server_name": partServer, "scheme": partScheme, "server_port": partPort,
	"https": partTLS, "http_user_agent": partAgent,
}

// apacheNames are the directives of Apache's mod_log_config.
var apacheNames = map[byte]accessPart{
	'h': partClient, 'a': partClient, 'l': partIdent, 'u': partUser, 'r': partRequest, 'm': partMethod,
	'U': partPath, 'q': partQuery,
	's': partStatus, 'b': partBytes, 'B': partBytes, 'v': partServer, 'V': partServer, 'p': partPort,
	'D': partTookAfterMicros, 'T': partTookAfter,
}

// apacheTimes are the forms of its directive of the time.
var apacheTimes = map[string]accessPart{
	"": partTimeLocal, "sec": partSeconds, "%s": partSeconds, "msec": partMillis, "usec": partMicros,
	"%Y-%m-%dT%H:%M:%S%z": partTime, "%FT%T%z": partTime, "%Y-%m-%dT%H:%M:%SZ": partTime, "%FT%TZ": partTime,
}

// configured is a format that may stand as in the configuration of nginx or Apache: log_format main '…' '…';
func configured(text string) string {
	text = strings.TrimSpace(text)
	rest, isNginx := strings.CutPrefix(text, "log_format ")
	rest, isApache := strings.CutPrefix(rest, "LogFormat ")
	if isNginx || isApache {
		text = ""
		for i := strings.IndexAny(rest, `"'`); i >= 0; i = strings.IndexAny(rest, `"'`) {
			quote, from := rest[i], i+1
			for i = from; i < len(rest) && rest[i] != quote; i++ {
				if rest[i] == '\\' {
					i++
				}
			}
			text += rest[from:min(i, len(rest))]
			rest = rest[min(i+1, len(rest)):]
		}
	}
	return (&accessLog{escaped: true}).unescape(text)
}

// templateNames reads a template of JSON, whose values are variables of nginx: {"at": "$time_iso8601", …}.
func templateNames(text string) map[string]accessPart {
	names := make(map[string]accessPart)
	var around []string
	key := ""
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{':
			around, key = append(around, key), ""
		case '}':
			around, key = around[:max(len(around)-1, 0)], ""
		case ',':
			key = ""
		case '"', '$':
			end := i + 1
			for end < len(text) && text[end] != '"' && (text[i] == '"' || isNameByte(text[end]) || text[end] == '{') {
				end++
			}
			word := strings.Trim(text[i:end], `"`)
			if name, isVariable := strings.CutPrefix(word, "$"); isVariable && key != "" {
				names[strings.TrimPrefix(strings.Join(append(slices.Clone(around), key), "."), ".")] = nginxNames[strings.Trim(name, "{}")]
			} else if key == "" {
				key = word
			}
			if i = end; i < len(text) && text[i] != '"' {
				i--
			}
		}
	}
	return names
}

// parseFormat reads a format in the syntax of nginx's log_format or of Apache's LogFormat.
func parseFormat(text string) (*lineFormat, error) {
	f := &lineFormat{}
	if strings.HasPrefix(text, "{") {
		f.names = templateNames(text)
		return f, f.check()
	}
	literal := &f.begin
	add := func(part accessPart) {
		f.pieces = append(f.pieces, formatPiece{part: part})
		literal = &f.pieces[len(f.pieces)-1].after
	}
	isNginx := false
	for i := 0; i+1 < len(text) && !isNginx; i++ {
		isNginx = text[i] == '$' && (text[i+1] == '{' || isNameByte(text[i+1]))
	}
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case isNginx && c == '$':
			name, isBraced := strings.CutPrefix(text[i+1:], "{")
			n := 0
			for n < len(name) && isNameByte(name[n]) {
				n++
			}
			i += 1 + n
			if isBraced {
				i += 2
			}
			if n == 0 || i > len(text) {
				return nil, errors.New("a $ without a name")
			}
			add(nginxNames[name[:n]])
		case !isNginx && c == '%':
			part, size, err := apachePart(text[i+1:])
			if err != nil {
				return nil, err
			}
			i += 1 + size
			switch {
			case part == accessParts: // %%
				*literal += "%"
			case part == partTimeLocal: // Apache writes the brackets
				*literal += "["
				add(part)
				*literal = "]"
			case part == partQuery && len(f.pieces) > 0 && *literal == "" && f.pieces[len(f.pieces)-1].part == partPath:
				f.pieces[len(f.pieces)-1].part = partTarget // %U%q
			default:
				add(part)
			}
		default:
			*literal += string(c)
			i++
		}
	}
	return f, f.check()
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// apachePart reads a directive behind its %, and returns how long it is. accessParts stands for a per cent sign.
func apachePart(text string) (part accessPart, size int, err error) {
	size = len(text) - len(strings.TrimLeft(text, "<>!0123456789,"))
	name := ""
	if rest := text[size:]; strings.HasPrefix(rest, "{") {
		end := strings.IndexByte(rest, '}')
		if end < 0 {
			return 0, 0, errors.New("a { that does not close")
		}
		name, size = rest[1:end], size+end+1
	}
	if size == len(text) {
		return 0, 0, errors.New("a % without a letter")
	}
	letter := text[size]
	size++
	switch {
	case letter == '^': // %{Foobar}^ti
		size = min(size+2, len(text))
	case letter == '%':
		part = accessParts
	case letter == 'i' && strings.EqualFold(name, "User-Agent"):
		part = partAgent
	case letter == 'i' && strings.EqualFold(name, "Host"):
		part = partHost
	case letter == 'p' && name == "remote": // the client's
	case letter == 'T' && name == "us":
		part = partTookAfterMicros
	case letter == 'T' && name == "ms":
	case strings.IndexByte("ioexCn", letter) >= 0:
	case letter == 't':
		part = apacheTimes[strings.TrimPrefix(strings.TrimPrefix(name, "begin:"), "end:")]
	default:
		part = apacheNames[letter]
	}
	return part, size, nil
}

// check refuses a format that cannot be read back, or says too little.
func (f *lineFormat) check() error {
	var has [accessParts]bool
	for i := range f.pieces {
		p := &f.pieces[i]
		has[p.part] = true
		before := f.begin
		if i > 0 {
			before = f.pieces[i-1].after
		}
		if p.after == "" && i < len(f.pieces)-1 {
			return errors.New("two fields stand side by side, and nothing shows where the first ends")
		}
		p.quoted = strings.HasSuffix(before, `"`) && strings.HasPrefix(p.after, `"`)
	}
	for _, part := range f.names {
		has[part] = true
	}
	f.hasMethod = has[partRequest] || has[partMethod]
	for _, need := range [...]struct {
		what  string
		parts []accessPart
	}{
		{"time", []accessPart{partTime, partTimeLocal, partSeconds, partMillis, partMicros}},
		{"request", []accessPart{partRequest, partTarget, partPath}},
		{"status", []accessPart{partStatus}},
	} {
		if !slices.ContainsFunc(need.parts, func(part accessPart) bool { return has[part] }) {
			return fmt.Errorf("it has no field of the %s", need.what)
		}
	}
	return nil
}

// read divides a line. strict: a quote within quotes has to be escaped, and more fields may follow.
func (f *lineFormat) read(line string, r *request, strict bool) bool {
	rest, found := strings.CutPrefix(line, f.begin)
	if !found {
		return false
	}
	for i := range f.pieces {
		p := &f.pieces[i]
		isLast := i == len(f.pieces)-1
		n := p.end(rest, isLast, strict)
		if n < 0 {
			return false
		}
		if value := rest[:n]; p.part != partNone && (r[p.part] == "" || r[p.part] == "-") {
			r[p.part] = value
		}
		rest = rest[n+len(p.after):]
	}
	last := &f.pieces[len(f.pieces)-1] // more may follow quotes alone: else a line of a longer format would lose parts
	return rest == "" || strict && last.quoted && rest[0] == ' ' && strings.Count(rest, `"`)%2 == 0
}

// end is where a value ends; -1: nowhere.
func (p *formatPiece) end(rest string, isLast, strict bool) int {
	switch {
	case isLast && p.after == "":
		if p.part != partNone && strings.Contains(rest, " ") {
			return -1
		}
		return len(rest)
	case isLast && !strict:
		if !strings.HasSuffix(rest, p.after) {
			return -1
		}
		return len(rest) - len(p.after)
	case !p.quoted:
		return strings.Index(rest, p.after)
	}
	for from := 0; ; {
		i := strings.IndexByte(rest[from:], '"')
		if i < 0 {
			return -1
		}
		i += from
		back := 0
		for back < i-from && rest[i-1-back] == '\\' {
			back++
		}
		switch {
		case back%2 == 1: // it is escaped
		case strings.HasPrefix(rest[i:], p.after) && (!isLast || i+1 == len(rest) || rest[i+1] == ' '):
			return i
		case strict:
			return -1
		}
		from = i + 1
	}
}

// header takes a line of a W3C log that begins with #.
func (l *accessLog) header(line string) {
	names, found := strings.CutPrefix(line, "#Fields:")
	if !found {
		return
	}
	l.fields = l.fields[:0]
	for name := range strings.FieldsSeq(names) {
		l.fields = append(l.fields, w3cNames[name])
	}
}

// w3cNames are the fields of the extended log format, as IIS and CloudFront write it, in text or JSON.
var w3cNames = map[string]accessPart{
	"date": partDate, "time": partClock, "c-ip": partClient, "cs-method": partMethod,
	"cs-uri-stem": partPath, "cs-uri-query": partQuery, "sc-status": partStatus,
	"x-host-header": partHost, "cs-host": partServer, "cs(Host)": partServer,
	"cs-uri": partTarget, "cs-protocol": partScheme, "s-port": partPort,
	"cs(User-Agent)": partAgentEncoded, "cs-user-agent": partAgentEncoded,
}

// split reads a line by the fields that #Fields names. CloudFront separates them by tabs.
func (l *accessLog) split(line string) bool {
	separator := " "
	if strings.Contains(line, "\t") {
		separator = "\t"
	}
	for i, part := range l.fields {
		value, rest, found := strings.Cut(line, separator)
		quoted, after, isQuoted := cutQuoted(line, separator)
		if isQuoted {
			value, rest, found = quoted, after, after != ""
		}
		if !found && i < len(l.fields)-1 {
			return false
		}
		if part == partAgentEncoded && separator == " " && !isQuoted { // IIS
			value = strings.ReplaceAll(value, "+", " ")
		}
		l.req[part] = value
		line = rest
	}
	l.req[partNone] = ""
	return line == ""
}

// cutQuoted cuts a string of W3C's format, in which a quote is written twice.
func cutQuoted(line, separator string) (value, rest string, ok bool) {
	if !strings.HasPrefix(line, `"`) {
		return "", "", false
	}
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] != '"':
		case strings.HasPrefix(line[i:], `""`):
			i++
		case i+1 == len(line), strings.HasPrefix(line[i+1:], separator):
			return strings.ReplaceAll(line[1:i], `""`, `"`), strings.TrimPrefix(line[i+1:], separator), true
		default:
			return "", "", false
		}
	}
	return "", "", false
}
