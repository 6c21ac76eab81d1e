# The program alone: static, no shell, no root.
#
#     docker build -t robotsaudit .
#     docker run --rm --network none -v "$PWD:/data" --user "$(id -u)" robotsaudit audit crawl.warc.gz -o out
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -buildid=' -o /robotsaudit ./cmd/robotsaudit \
    && mkdir -p /root-of-image/tmp && chmod 1777 /root-of-image/tmp

FROM scratch
COPY --from=build /robotsaudit /robotsaudit
COPY --from=build /root-of-image /
USER 65532:65532
WORKDIR /data
ENTRYPOINT ["/robotsaudit"]
