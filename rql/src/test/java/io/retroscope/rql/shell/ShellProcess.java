package io.retroscope.rql.shell;

import io.retroscope.rql.cut.ClockOffsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The program that tests start in a pty: a shell on a fake session, or on a file, or neither. */
final class ShellProcess {
  static final String FAKE = "fake";

  private ShellProcess() {}

  public static void main(String[] args) {
    boolean fake = args[0].equals(FAKE);
    ShellOptions options =
        new ShellOptions(
            Optional.empty(),
            fake || args[0].isEmpty() ? Optional.empty() : Optional.of(Path.of(args[0])),
            events -> ClockOffsets.UNKNOWN,
            List.of(),
            Optional.empty(),
            OutputFormat.ALIGNED,
            false,
            System.getenv());
    int exitCode =
        fake
            ? new InteractiveShell(options, new FakeSession(), ShellClock.SYSTEM).run().number()
            : RqlShell.run(options);
    System.exit(exitCode);
  }
}
