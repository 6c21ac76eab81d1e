// Keeps the page's files for use offline: all of one version, from the first visit on.
importScripts("files.js");
const {version, files} = self.site;
const prefix = "robotsaudit ";

self.addEventListener("install", (event) => {
  const requests = files.map((file) => new Request(file, {cache: "no-cache"}));
  event.waitUntil(caches.open(prefix + version).then((cache) => cache.addAll(requests)));
});

self.addEventListener("activate", (event) => {
  const old = (name) => name.startsWith(prefix) && name !== prefix + version;
  event.waitUntil(caches.keys()
    .then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name))))
    .then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  event.respondWith(caches.open(prefix + version)
    .then((cache) => cache.match(event.request, {ignoreSearch: true}))
    .then((kept) => kept ?? fetch(event.request)));
});
