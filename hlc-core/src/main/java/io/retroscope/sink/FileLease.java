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
 * on an empty file of its own, which remains.
 */
final class FileLease implements AutoCloseable {
  /**
   * Lock files that are open although another sink of this process has the lease: to close one
   * would end the locks that the process has on the file. Guarded by the class.
   */
  private static final Map<File, RandomAccessFile> HELD_HERE = new HashMap<>();

  private final RandomAccessFile file;

  private FileLease(RandomAccessFile file) {
    this.file = file;
  }

  /**
   * Takes the lease that this lock file stands for; empty if another sink has it.
   *
   * @throws IOException if the file cannot be created, or locks do not work there
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
