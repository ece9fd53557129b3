// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The exclusive right to a name among all processes of a machine, until it is closed. It is a lock
 * on a separate empty file, which remains.
 */
final class FileLease implements AutoCloseable {
  /**
   * Lock files that stay open although another sink of this process holds the lease, because
   * closing one would release all locks that the process holds on the file. Guarded by the class.
   */
  private static final Map<File, RandomAccessFile> HELD_HERE = new HashMap<>();

  private final RandomAccessFile file;

  private FileLease(RandomAccessFile file) {
    this.file = file;
  }

  /**
   * Acquires the lease of this lock file; empty if another sink holds it.
   *
   * @throws IOException if the file cannot be created, or its file system does not support locks
   */
  static synchronized Optional<FileLease> tryAcquire(Path lockFile) throws IOException {
    File name = lockFile.toAbsolutePath().toFile();
    @Nullable RandomAccessFile kept = HELD_HERE.remove(name);
    RandomAccessFile file = kept == null ? new RandomAccessFile(name, "rw") : kept;
    try {
      FileLock lock = file.getChannel().tryLock();
      if (lock != null) {
        return Optional.of(new FileLease(file));
      }
    } catch (OverlappingFileLockException e) {
      HELD_HERE.put(name, file);
      return Optional.empty();
    } catch (IOException e) {
      file.close();
      throw e;
    }
    file.close();
    return Optional.empty();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
