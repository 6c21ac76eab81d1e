import java.io.FileOutputStream;
import java.io.OutputStream;
import java.util.logging.LogManager;
import org.archive.extract.ExtractingResourceFactoryMapper;
import org.archive.extract.ExtractingResourceProducer;
import org.archive.extract.ProducerUtils;
import org.archive.extract.WATExtractorOutput;
import org.archive.resource.Resource;

/** Makes a WAT of each archive, as the library's own command does: OUT ARCHIVE, one pair after the other. */
class Wats {
    private static final int MAX_FAULTS = 100; // of one archive

    public static void main(String[] args) {
        LogManager.getLogManager().reset();
        for (int i = 0; i + 1 < args.length; i += 2) {
            make(args[i], args[i + 1]);
        }
    }

    private static void make(String out, String archive) {
        int faults = 0;
        try (OutputStream file = new FileOutputStream(out)) {
            WATExtractorOutput wat = new WATExtractorOutput(file, out);
            ExtractingResourceProducer records =
                new ExtractingResourceProducer(ProducerUtils.getProducer(archive), new ExtractingResourceFactoryMapper());
            while (faults < MAX_FAULTS) {
                try {
                    Resource record = records.getNext();
                    if (record == null) {
                        return;
                    }
                    wat.output(record);
                } catch (Exception | StackOverflowError e) { // it fails in many ways, and goes on
                    faults++;
                }
            }
        } catch (Exception e) {
            System.out.println("no WAT of " + archive + ": " + e);
        }
    }
}
