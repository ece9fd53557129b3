// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Temporary directories in memory where the system has such a file system with room, because most
 * tests would otherwise wait for syncs of the disk. {@code junit-platform.properties} makes it the
 * default; tests of the disk itself choose {@link TempDirFactory.Standard}.
 */
final class MemoryDisk implements TempDirFactory {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  /** A container may have much less, which would fail tests that fill a store. */
  private static final long NEEDED_BYTES = 4L << 30;

  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext extension)
      throws IOException {
    return Files.isWritable(SHARED_MEMORY)
            && Files.getFileStore(SHARED_MEMORY).getUsableSpace() >= NEEDED_BYTES
        ? Files.createTempDirectory(SHARED_MEMORY, "retroscope-test")
        : Files.createTempDirectory("retroscope-test");
  }
}
