// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** An operation that forces a file's content, or the names in a directory, to the disk. */
interface Fsync {
  /** Does nothing: written data survives the end of the process only. */
  Fsync NONE = path -> {};

  /** Makes written data survive a power loss as well. Interrupts do not affect it. */
  Fsync DISK = Fsync::forceToDisk;

  void force(Path path) throws IOException;

  private static void forceToDisk(Path path) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        interrupted |= Thread.interrupted();
        try {
          forceOnce(path);
          return;
        } catch (ClosedByInterruptException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void forceOnce(Path path) throws IOException {
    boolean directory = Files.isDirectory(path);
    try (FileChannel channel =
        FileChannel.open(path, directory ? StandardOpenOption.READ : StandardOpenOption.WRITE)) {
      channel.force(true);
    } catch (AccessDeniedException e) {
      // Windows cannot open directories; a rename is durable there without this.
      if (!directory) {
        throw e;
      }
    }
  }
}
