// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** Whether a process is running. */
public final class RunningProcess {
  private RunningProcess() {}

  /** The process ids in a file, with spaces between them. */
  public static List<Long> listedIn(Path file) throws IOException {
    return Pattern.compile("\\s+")
        .splitAsStream(Files.readString(file))
        .map(Long::valueOf)
        .toList();
  }

  /**
   * Returns false also for a process that has ended, and of which only its parent's entry is left.
   */
  public static boolean is(long pid) {
    if (ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty()) {
      return false;
    }
    try {
      return !Files.readString(Path.of("/proc", Long.toString(pid), "stat")).contains(") Z ");
    } catch (IOException e) {
      return ProcessHandle.of(pid).isPresent();
    }
  }
}
