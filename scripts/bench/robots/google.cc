//go:build ignore

// (That line keeps it out of the Go package beside it.)
//
// Measures Google's robots.txt parser and matcher (robots.cc) as compiled C++.
//
//     google MEASURE SECONDS BODY...
//
// The measures are those of main.go, the passes over the bodies too. The
// output is one line: work, nanoseconds of processor time, 0 (allocations
// are not counted here), checksum.

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "robots.h"

namespace {

// The same as tokens and paths in main.go.
const std::string kToken = "ExampleBot";
const char* const kPaths[] = {
    "/",
    "/index.html",
    "/folder/page.html?id=17&sort=name",
    "/images/2019/07/photo-large.jpg",
    "/en/products/category/item-12345/reviews",
    "/search?q=robots%20exclusion",
    "/wp-admin/admin-ajax.php",
    "/news/2019/07/14/a-long-title-of-an-article-that-somebody-wrote/",
};
constexpr size_t kPathCount = sizeof(kPaths) / sizeof(kPaths[0]);

// Touch does nothing but touch what it is given.
class Touch : public googlebot::RobotsParseHandler {
 public:
  void HandleRobotsStart() override {}
  void HandleRobotsEnd() override {}
  void HandleUserAgent(int line, absl::string_view value) override { Add(line, value); }
  void HandleAllow(int line, absl::string_view value) override { Add(line, value); }
  void HandleDisallow(int line, absl::string_view value) override { Add(line, value); }
  void HandleSitemap(int line, absl::string_view value) override { Add(line, value); }
  void HandleUnknownAction(int line, absl::string_view action, absl::string_view value) override {
    Add(line, action);
    Add(line, value);
  }
  unsigned long sum = 0;

 private:
  void Add(int line, absl::string_view value) {
    sum += line + value.size() + (value.empty() ? 0 : value[0]);
  }
};

std::string Read(const char* name) {
  std::ifstream in(name, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "google: cannot read %s\n", name);
    std::exit(1);
  }
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: google MEASURE SECONDS BODY...\n");
    return 2;
  }
  const std::string measure = argv[1];
  const double enough = std::atof(argv[2]) * CLOCKS_PER_SEC;
  std::vector<std::string> bodies;
  size_t octets = 0;
  for (int i = 3; i < argc; i++) {
    bodies.push_back(Read(argv[i]));
    octets += bodies.back().size();
  }
  std::vector<std::string> urls;
  for (const char* path : kPaths) urls.push_back(std::string("https://example.com") + path);

  unsigned long work = 0, sum = 0;
  size_t asked = 0;
  // The processor time of this process. Others disturb it less than the clock.
  const std::clock_t start = std::clock();
  std::clock_t now = start;
  do {
    if (measure == "parse") {
      for (const std::string& body : bodies) {
        Touch touch;
        googlebot::ParseRobotsTxt(body, &touch);
        sum += touch.sum;
      }
      work += octets;
    } else if (measure == "oneshot") {
      for (size_t i = 0; i < bodies.size(); i++) {
        googlebot::RobotsMatcher matcher;
        sum += matcher.OneAgentAllowedByRobots(bodies[i], kToken, urls[i % kPathCount]);
      }
      work += octets;
    } else if (measure == "match") {
      // There is no compiled form: every match reads the body again.
      for (int n = 0; n < 1000; n++, asked++) {
        googlebot::RobotsMatcher matcher;
        sum += matcher.OneAgentAllowedByRobots(bodies[asked % bodies.size()], kToken, urls[asked % kPathCount]);
      }
      work += 1000;
    } else {
      std::fprintf(stderr, "google: no measure %s\n", argv[1]);
      return 2;
    }
    now = std::clock();
  } while (now - start < enough);
  std::printf("%lu %.0f 0 %lu\n", work, (now - start) * (1e9 / CLOCKS_PER_SEC), sum);
  return 0;
}
