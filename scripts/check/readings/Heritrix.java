import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.archive.modules.net.RobotsDirectives;
import org.archive.modules.net.Robotstxt;

/** Answers lines of a body, User-Agents and paths: fields of base64, with a space between them, and commas in lists. */
class Heritrix {
    static String text(String base64) {
        return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
    }

    public static void main(String[] arguments) throws Exception {
        var lines = new BufferedReader(new InputStreamReader(System.in));
        var answers = new StringBuilder();
        for (String line; (line = lines.readLine()) != null; answers.append('\n')) {
            String[] fields = line.split(" ");
            var robots = new Robotstxt(new StringReader(text(fields[0])));
            for (String agent : fields[1].split(",")) {
                RobotsDirectives rules = robots.getDirectivesFor(text(agent));
                for (String path : fields[2].split(",")) answers.append(rules.allows(text(path)) ? 'a' : 'd');
            }
        }
        System.out.print(answers);
    }
}
