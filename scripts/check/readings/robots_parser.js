// Answers lines of a body, tokens and paths: fields of base64, with a space between them, and commas in lists.
const robotsParser = require("robots-parser");
const bytes = (base64) => Buffer.from(base64, "base64");

for (const line of require("fs").readFileSync(0, "latin1").trimEnd().split("\n")) {
  const [body, tokens, paths] = line.split(" ");
  // as browsertrix-crawler's src/util/robots.ts decodes it
  const content = new TextDecoder().decode(bytes(body).subarray(0, 100000));
  const robots = content && robotsParser("http://example.org/robots.txt", content);
  let answer = "";
  for (const token of tokens.split(",")) {
    for (const path of paths.split(",")) {
      const url = "http://example.org" + bytes(path).toString("latin1");
      answer += robots && robots.isDisallowed(url, bytes(token).toString()) ? "d" : "a";
    }
  }
  console.log(answer);
}
