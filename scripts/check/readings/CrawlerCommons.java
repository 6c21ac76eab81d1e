import crawlercommons.robots.SimpleRobotRules;
import crawlercommons.robots.SimpleRobotRulesParser;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URL;
import java.util.Base64;
import java.util.Locale;

/** Answers lines of a body, tokens and paths: fields of base64, with a space between them, and commas in lists. */
class CrawlerCommons {
    static byte[] bytes(String base64) {
        return Base64.getDecoder().decode(base64);
    }

    /** Since 1.4 there is an answer for a URL. That for a string allows what java.net.URI does not read. */
    static boolean allowed(SimpleRobotRules rules, String url) throws Exception {
        try {
            return (boolean) SimpleRobotRules.class.getMethod("isAllowed", URL.class).invoke(rules, new URL(url));
        } catch (NoSuchMethodException e) {
            return rules.isAllowed(url);
        }
    }

    public static void main(String[] arguments) throws Exception {
        var parser = new SimpleRobotRulesParser();
        parser.setMaxCrawlDelay(Long.MAX_VALUE); // as Nutch and StormCrawler do
        var lines = new BufferedReader(new InputStreamReader(System.in));
        var answers = new StringBuilder();
        for (String line; (line = lines.readLine()) != null; answers.append('\n')) {
            String[] fields = line.split(" ");
            for (String token : fields[1].split(",")) {
                var name = new String(bytes(token)).toLowerCase(Locale.ROOT);
                var rules = parser.parseContent("http://example.org/robots.txt", bytes(fields[0]), "text/plain", name);
                for (String path : fields[2].split(",")) {
                    answers.append(allowed(rules, "http://example.org" + new String(bytes(path))) ? 'a' : 'd');
                }
            }
        }
        System.out.print(answers);
    }
}
