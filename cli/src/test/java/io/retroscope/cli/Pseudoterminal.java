// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import com.pty4j.PtyProcess;
import com.pty4j.PtyProcessBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A command that runs in a pseudo-terminal. */
public final class Pseudoterminal {
  public static final int COLUMNS = 100;
  public static final int ROWS = 40;

  static {
    // The native part of the library is extracted where a clean build removes it.
    System.setProperty("pty4j.tmpdir", Path.of("target").toAbsolutePath().toString());
  }

  private final String[] command;
  private final PtyProcess process;

  /**
   * Starts a command.
   *
   * @param environment variables in addition to the environment of this process
   */
  public Pseudoterminal(List<String> command, Path folder, Map<String, String> environment)
      throws IOException {
    this.command = command.toArray(String[]::new);
    Map<String, String> variables = new HashMap<>(System.getenv());
    List.of("NO_COLOR", "PAGER", "RETROSCOPE_SERVER").forEach(variables::remove);
    variables.putAll(Map.of("TERM", "xterm-256color", "LC_ALL", "C.UTF-8"));
    variables.put("HOME", folder.toString());
    variables.putAll(environment);
    process =
        new PtyProcessBuilder(this.command)
            .setEnvironment(variables)
            .setDirectory(folder.toString())
            .setInitialColumns(COLUMNS)
            .setInitialRows(ROWS)
            .start();
  }

  public PtyProcess process() {
    return process;
  }

  /**
   * Waits until the library's thread that awaits the end of the process has ended. Only then may
   * the terminal be closed. The thread finally wakes readers through a descriptor, and once that is
   * closed its number may belong to the next terminal, which then reads nothing.
   *
   * @see <a href="https://github.com/JetBrains/pty4j/issues/181">The library's issue</a>
   */
  public void awaitEnd() throws InterruptedException {
    String name = "PtyProcess Reaper for " + Arrays.toString(command);
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals(name)) {
        thread.join();
      }
    }
  }
}
