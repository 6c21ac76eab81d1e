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
		"ts": partTime, "size": partBytes, "time": partTime, "timestamp": partTime, "@timestamp": partTime,
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
type accessObjects struct{ objects }

func (o *accessObjects) read(text string, r *request) (fault string) {
	return o.each(text, func(key string, kind jsonlite.Kind) string {
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
		case fault != "" || part != partTime:
		case len(value) == len("10:00:00") && value[2] == ':':
			part = partClock // of CloudFront's date
		case r[partTime] != "" && key != "StartUTC":
			return "" // Traefik has the time of writing, too
		}
		if r[part] == "" || r[part] == "-" || key == "host" || key == "x-host-header" || key == "StartUTC" {
			r[part] = value
		}
		return fault
	})
}

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
