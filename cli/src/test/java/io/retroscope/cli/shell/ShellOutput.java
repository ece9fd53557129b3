// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import io.retroscope.cli.process.ExitCode;
import io.retroscope.rql.print.OutputFormat;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a shell without a terminal writes, for tests of other packages. */
public record ShellOutput(String out, String err) {
  /**
   * Runs statements over a file, or a server at an address with a scheme.
   *
   * @param target the one or the other
   */
  public static ShellOutput of(String target, OutputFormat format, String statements) {
    boolean isServer = target.startsWith("http");
    ShellFixture shell = new ShellFixture();
    ShellOptions options =
        new ShellOptions(
            isServer ? Optional.of(URI.create(target)) : Optional.empty(),
            isServer ? Optional.empty() : Optional.of(ShellFixture.opening(Path.of(target))),
            List.of(statements),
            Optional.empty(),
            format,
            ShellFixture.SOUND,
            List.of(),
            false,
            Map.of());
    ExitCode unused = new RqlShell(options, shell.streams(""), shell.clock).run();
    return new ShellOutput(shell.out.toString(), shell.err.toString());
  }
}
