// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.postgres;

import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/** The archive with the programs of PostgreSQL for Linux on x86, from a jar. */
final class PostgresArchive {
  private static final String NAME = "/postgres-linux-x86_64.txz";
  private static final int EXECUTABLE_BITS = 0111;

  private PostgresArchive() {}

  /** Unpacks it into a new folder, and returns that. */
  static Path unpack(Path folder) throws StageException, IOException {
    boolean fits =
        "Linux".equals(System.getProperty("os.name"))
            && "amd64".equals(System.getProperty("os.arch"));
    try (InputStream packed = PostgresArchive.class.getResourceAsStream(NAME)) {
      if (packed == null || !fits) {
        throw new StageException(
            "no PostgreSQL for this system: install it, so that 'postgres' and 'initdb' are on the"
                + " PATH");
      }
      Files.createDirectories(folder);
      try (TarArchiveInputStream tar =
          new TarArchiveInputStream(new XZCompressorInputStream(packed))) {
        for (TarArchiveEntry entry = tar.getNextEntry();
            entry != null;
            entry = tar.getNextEntry()) {
          write(tar, entry, folder);
        }
      }
    }
    return folder;
  }

  private static void write(TarArchiveInputStream tar, TarArchiveEntry entry, Path folder)
      throws IOException {
    Path file = folder.resolve(entry.getName()).normalize();
    if (!file.startsWith(folder)) {
      throw new IOException("the archive has a file outside of its folder: " + entry.getName());
    }
    if (entry.isDirectory()) {
      Files.createDirectories(file);
      return;
    }
    Files.createDirectories(file.getParent());
    if (entry.isSymbolicLink()) {
      Files.createSymbolicLink(file, Path.of(entry.getLinkName()));
    } else {
      Files.copy(tar, file);
      boolean executable = (entry.getMode() & EXECUTABLE_BITS) != 0;
      Files.setPosixFilePermissions(
          file, PosixFilePermissions.fromString(executable ? "rwxr-xr-x" : "rw-r--r--"));
    }
  }
}
