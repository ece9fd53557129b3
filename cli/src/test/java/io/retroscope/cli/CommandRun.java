// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The result of a command, for tests. */
record CommandRun(int exitCode, String out, String err) {
  /** The JVM's option without which no sound is written. */
  static final String SYNTHESIZER = "--add-exports=java.desktop/com.sun.media.sound=ALL-UNNAMED";

  /**
   * Writes a script that starts the command like the one in the root folder, with the libraries of
   * the command alone, but does not build.
   */
  static void writeScript(Path script) throws IOException {
    Files.writeString(
        script,
        """
        #!/bin/sh
        case ${1-} in
          server | store | console) set -- %s "$@" ;;
          demo) set -- %s "$@" ;;
          *) set -- %s "$@" ;;
        esac
        exec "$@"
        """
            .formatted(
                words(LibraryList.SERVER), words(LibraryList.DEMO), words(LibraryList.CLIENT)));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static String words(LibraryList libraries) throws IOException {
    List<String> command = new ArrayList<>(QuickJava.command(libraries.classPath()));
    command.add(1, SYNTHESIZER);
    command.add("io.retroscope.cli.Retroscope");
    return command.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
  }

  static CommandRun of(String... args) {
    return with(Map.of(), args);
  }

  static CommandRun with(Map<String, String> environment, String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode = Retroscope.run(new PrintWriter(out), new PrintWriter(err), environment, args);
    return new CommandRun(exitCode, out.toString(), err.toString());
  }
}
