// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Temporary directories in memory where the system has such a file system, for tests that do not
 * depend on what survives a power cut: most of their time, they would wait for syncs of the disk.
 */
final class MemoryDisk implements TempDirFactory {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext extension)
      throws IOException {
    return Files.isDirectory(SHARED_MEMORY) && Files.isWritable(SHARED_MEMORY)
        ? Files.createTempDirectory(SHARED_MEMORY, "retroscope-test")
        : Files.createTempDirectory("retroscope-test");
  }
}
