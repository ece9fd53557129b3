// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import io.retroscope.cli.process.StandardStreams;
import io.retroscope.rql.print.OutputFormat;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The program that tests start in a pseudo-terminal: a shell on a fake session, on a file, or on a
 * server; further arguments are statements to run.
 */
final class ShellProcess {
  static final String FAKE = "fake";

  private ShellProcess() {}

  public static void main(String[] args) {
    boolean fake = args[0].equals(FAKE);
    List<String> commands = Arrays.asList(args).subList(1, args.length);
    ShellOptions options =
        new ShellOptions(
            Optional.empty(),
            fake || args[0].isEmpty()
                ? Optional.empty()
                : Optional.of(ShellFixture.opening(Path.of(args[0]))),
            commands,
            Optional.empty(),
            OutputFormat.ALIGNED,
            ShellFixture.SOUND,
            false,
            System.getenv());
    RqlShell shell = new RqlShell(options, StandardStreams.system(), ShellClock.SYSTEM);
    System.exit((fake ? shell.run(new FakeSession()) : shell.run()).number());
  }
}
