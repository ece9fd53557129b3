package io.retroscope.examples.stage;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The frame of a demonstration: its temporary folder, and one sentence for any failure. */
public final class DemoRun {
  private static final long NEEDED_BYTES = 200L << 20;

  private DemoRun() {}

  /** The demonstration itself. */
  public interface Body {
    /**
     * Runs it to its end.
     *
     * @param folder a temporary folder, removed afterwards
     * @throws StageException with one sentence for users if it failed
     */
    void run(Path folder) throws StageException, IOException, InterruptedException;
  }

  /**
   * Runs a demonstration.
   *
   * @param outFolder the folder for its files; created if necessary
   * @param err for one sentence with the reason of a failure
   * @return 0, or 1 if it failed
   */
  public static int run(Path outFolder, DemoScreen screen, PrintWriter err, Body body) {
    try {
      checkRoom(outFolder);
      Path folder = Files.createTempDirectory("retroscope-demo");
      Thread cleaner = new Thread(() -> TemporaryFolders.delete(folder), "demo-cleaner");
      Runtime.getRuntime().addShutdownHook(cleaner);
      try {
        body.run(folder);
        return 0;
      } finally {
        TemporaryFolders.delete(folder);
        Runtime.getRuntime().removeShutdownHook(cleaner);
      }
    } catch (StageException e) {
      return fail(screen, err, String.valueOf(e.getMessage()));
    } catch (IOException | UncheckedIOException e) {
      return fail(screen, err, "a file or connection failed: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return fail(screen, err, "interrupted");
    }
  }

  private static int fail(DemoScreen screen, PrintWriter err, String sentence) {
    screen.endStatus();
    err.println("demo failed: " + sentence);
    err.flush();
    return 1;
  }

  /** Checks that the folder can be used, to fail before the run and not in the middle of it. */
  private static void checkRoom(Path outFolder) throws IOException, StageException {
    try {
      Files.createDirectories(outFolder);
    } catch (IOException e) {
      throw new StageException(
          Files.exists(outFolder)
              ? outFolder + " is a file: name a folder for the results with --out"
              : "cannot make the folder %s for the results: %s"
                  .formatted(outFolder, e.getMessage()),
          e);
    }
    for (Path folder : List.of(outFolder, Path.of(System.getProperty("java.io.tmpdir")))) {
      FileStore store = Files.getFileStore(folder);
      if (store.getUsableSpace() < NEEDED_BYTES) {
        throw new StageException(
            "the disk of %s has %d MB left, and the demo needs %d"
                .formatted(folder, store.getUsableSpace() >> 20, NEEDED_BYTES >> 20));
      }
    }
  }
}
