package cdx

import (
	"maps"
	"strings"

	"github.com/parquet-go/jsonlite"
)

// accessNames are the names in JSON lines: nginx's variables, and the names of Caddy (at the top, and in request),
// Traefik, Cloudflare's Logpush, CloudFront and Amazon's load balancers (ALB).
var accessNames = func() map[string]accessPart {
	names := maps.Clone(nginxNames)
	maps.Copy(names, w3cNames)
	maps.Copy(names, map[string]accessPart{
		"ts": partTime, "size": partBytes, "duration": partTook, "time": partTime, "timestamp": partTime, "@timestamp": partTime,
		"timestamp(ms)": partMillis,
		// in Caddy's request
		"remote_ip": partClient, "client_ip": partClient, "method": partMethod,
		// Traefik
		"ClientHost": partClient, "StartUTC": partTime, "RequestMethod": partMethod, "RequestPath": partTarget,
		"RequestHost": partHost, "RequestScheme": partScheme, "RequestPort": partPort, "DownstreamStatus": partStatus,
		"DownstreamContentSize": partBytes, "request_User-Agent": partAgent,
		// Cloudflare
		"ClientIP": partClient, "ClientRequestHost": partHost, "ClientRequestMethod": partMethod,
		"ClientRequestURI": partTarget, "ClientRequestPath": partPath, "ClientRequestScheme": partScheme,
		"ClientRequestUserAgent": partAgent, "EdgeStartTimestamp": partTime, "EdgeResponseStatus": partStatus,
		"EdgeResponseBodyBytes": partBytes, "SecurityAction": partAction,
		// ALB
		"elb_status_code": partStatus, "request_verb": partMethod, "request_url": partTarget, "user_agent": partAgent,
		"type": partScheme,
	})
	return names
}()

// accessObjects reads JSON lines of access logs.
type accessObjects struct {
	objects
	parts map[string]accessPart // of the template of --line-format, which alone count; nil: accessNames
}

func (o *accessObjects) read(text string, r *request) (fault string) {
	var rank [accessParts]int
	return o.each(text, func(key string, kind jsonlite.Kind) string {
		if o.parts != nil {
			return o.readNamed(key, kind, r, 0)
		}
		if key == "request" && kind == jsonlite.Object { // Caddy's
			if v, err := o.it.Value(); err == nil {
				readCaddy(v, r)
			}
			return ""
		}
		part := accessNames[key]
		if part == partNone || kind != jsonlite.String && kind != jsonlite.Number {
			return ""
		}
		value, fault := o.text()
		switch {
		case fault != "":
			return fault
		case part == partTime && len(value) == len("10:00:00") && value[2] == ':':
			part = partClock // of CloudFront's date
		case value == "" && (part == partRequest || part == partTarget):
			value = "-" // known, and none
		}
		is := rankOf(key)
		switch before := or(r[part], ""); {
		case or(value, "") == "" && before != "", before != "" && is < rank[part]:
		case before != "" && is == rank[part] && before != value:
			return "several of its fields are known as one thing, and differ; name the right ones by --line-format"
		default:
			r[part], rank[part] = value, is
		}
		return ""
	})
}

// rankOf says which of several fields of one thing counts, whatever their order: what the client asked before what the
// server calls it, when the request began before when it was written, and names of a server before common ones.
func rankOf(key string) int {
	switch _, isNginx := nginxNames[key]; {
	case key == "host", key == "x-host-header", key == "StartUTC":
		return 2
	case isNginx:
		return 1
	case key == "ts", key == "time", key == "timestamp", key == "@timestamp":
		return -1
	}
	return 0
}

// readNamed reads a member that a template names.
func (o *accessObjects) readNamed(path string, kind jsonlite.Kind, r *request, depth int) (fault string) {
	part := o.parts[path]
	switch {
	case kind == jsonlite.Object && part == partNone && depth < maxTemplateDepth:
		for key, err := range o.it.Object {
			if err != nil || o.it.Err() != nil {
				break
			}
			if fault = o.readNamed(path+"."+key, o.it.Kind(), r, depth+1); fault != "" {
				break
			}
		}
		return fault
	case part == partNone || kind != jsonlite.String && kind != jsonlite.Number:
		return ""
	}
	r[part], fault = o.text()
	return fault
}

// maxTemplateDepth is how deep the members are that a template can name.
const maxTemplateDepth = 4

// readCaddy reads the object request of a line of Caddy.
func readCaddy(v *jsonlite.Value, r *request) {
	text := func(of *jsonlite.Value) string {
		if of != nil && of.Kind() == jsonlite.String {
			return of.String()
		}
		return ""
	}
	for name, part := range map[string]accessPart{
		"method": partMethod, "host": partHost, "uri": partTarget,
	} {
		r[part] = text(v.Lookup(name))
	}
	address := withoutPort(text(v.Lookup("remote_addr"))) // before Caddy 2.5
	r[partClient] = or(or(text(v.Lookup("client_ip")), text(v.Lookup("remote_ip"))), address)
	r[partScheme] = "http"
	if tls := v.Lookup("tls"); tls != nil && tls.Kind() == jsonlite.Object {
		r[partScheme] = "https"
	}
	headers := v.Lookup("headers")
	if headers == nil || headers.Kind() != jsonlite.Object {
		return
	}
	for name, value := range headers.Object {
		if strings.EqualFold(name, "User-Agent") && value.Kind() == jsonlite.Array {
			for agent := range value.Array {
				r[partAgent] = text(agent)
				break
			}
		}
	}
}
