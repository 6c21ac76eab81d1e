import crawlercommons.robots.SimpleRobotRulesParser;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URL;
import java.util.Base64;
import java.util.List;
import java.util.Locale;

/** Answers lines of a body, tokens and paths: fields of base64, with a space between them, and commas in lists. */
class CrawlerCommons {
    static byte[] bytes(String base64) {
        return Base64.getDecoder().decode(base64);
    }

    public static void main(String[] arguments) throws Exception {
        var parser = new SimpleRobotRulesParser();
        parser.setMaxCrawlDelay(Long.MAX_VALUE); // as Nutch and StormCrawler do
        var lines = new BufferedReader(new InputStreamReader(System.in));
        var answers = new StringBuilder();
        for (String line; (line = lines.readLine()) != null; answers.append('\n')) {
            String[] fields = line.split(" ");
            for (String token : fields[1].split(",")) {
                var names = List.of(new String(bytes(token)).toLowerCase(Locale.ROOT));
                var rules = parser.parseContent("http://example.org/robots.txt", bytes(fields[0]), "text/plain", names);
                for (String path : fields[2].split(",")) {
                    answers.append(rules.isAllowed(new URL("http://example.org" + new String(bytes(path)))) ? 'a' : 'd');
                }
            }
        }
        System.out.print(answers);
    }
}
