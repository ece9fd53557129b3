// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/** The result of a command, for tests. */
record CommandRun(int exitCode, String out, String err) {
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
          server | store | console) libraries='%s' ;;
          demo) libraries='%s' ;;
          *) libraries='%s' ;;
        esac
        exec '%s/bin/java' --add-exports java.desktop/com.sun.media.sound=ALL-UNNAMED \\
          --enable-native-access=ALL-UNNAMED -XX:TieredStopAtLevel=1 \\
          -cp "$libraries" io.retroscope.cli.Retroscope "$@"
        """
            .formatted(
                LibraryList.SERVER.classPath(),
                LibraryList.DEMO.classPath(),
                LibraryList.CLIENT.classPath(),
                System.getProperty("java.home")));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
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
