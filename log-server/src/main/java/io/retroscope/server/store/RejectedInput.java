// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.server.store.disk.DataDirectory;
import io.retroscope.server.store.disk.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder {@code rejected} of the data directory, which keeps inputs that can never be stored.
 * Each is kept unchanged, with a text file that contains its origin and the reason. Above a limit
 * the oldest ones are removed. Thread-safe.
 */
public final class RejectedInput {
  /** The folder's name. */
  public static final String FOLDER = "rejected";

  private static final Logger logger = LoggerFactory.getLogger(RejectedInput.class);
  private static final String BYTES = ".bin";
  private static final String REASON = ".txt";

  private final Path folder;
  private final int maxCount;
  private final long maxBytes;

  /** File names without extensions, oldest first. */
  private final Deque<Kept> kept = new ArrayDeque<>();

  private final AtomicLong rejected = new AtomicLong();
  private long bytes;

  private record Kept(String name, long bytes) {}

  /**
   * The inputs of a data directory.
   *
   * @param maxCount the largest number of inputs kept
   * @param maxBytes the largest number of bytes kept; the latest input is always kept
   */
  RejectedInput(Path directory, int maxCount, long maxBytes) {
    this.folder = directory.resolve(FOLDER);
    this.maxCount = maxCount;
    this.maxBytes = maxBytes;
    restore();
  }

  private void restore() {
    if (!Files.isDirectory(folder)) {
      return;
    }
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> inputs =
          files
              .filter(file -> file.toString().endsWith(BYTES))
              .sorted(Comparator.comparing(RejectedInput::modified))
              .toList();
      for (Path input : inputs) {
        String name = input.getFileName().toString();
        add(new Kept(name.substring(0, name.length() - BYTES.length()), Files.size(input)));
      }
    } catch (IOException e) {
      throw new StoreException("cannot read " + folder + ": " + e.getMessage(), e);
    }
  }

  private static FileTime modified(Path file) {
    try {
      return Files.getLastModifiedTime(file);
    } catch (IOException e) {
      return FileTime.fromMillis(0);
    }
  }

  /**
   * Keeps an input. It is on disk when this method returns.
   *
   * @param name a name that is valid for a file; an input of the same name is replaced
   * @param reason its origin and why it cannot be stored
   * @return the file
   * @throws StoreException if it cannot be kept
   */
  public synchronized Path keep(String name, byte[] input, String reason) {
    String safe = name.replaceAll("[^A-Za-z0-9._-]", "_");
    Path file = folder.resolve(safe + BYTES);
    try {
      Files.createDirectories(folder);
      DataDirectory.writeDurably(folder.resolve(safe + REASON), reason.strip() + "\n");
      DataDirectory.writeDurably(file, input);
    } catch (IOException e) {
      throw new StoreException(
          "cannot keep a rejected input in " + folder + ": " + e.getMessage(), e);
    }
    kept.stream().filter(old -> old.name.equals(safe)).toList().forEach(this::forget);
    add(new Kept(safe, input.length));
    rejected.incrementAndGet();
    while (kept.size() > 1 && (kept.size() > maxCount || bytes > maxBytes)) {
      drop(kept.getFirst());
    }
    return file;
  }

  private void add(Kept input) {
    kept.add(input);
    bytes += input.bytes;
  }

  private void forget(Kept input) {
    kept.remove(input);
    bytes -= input.bytes;
  }

  private void drop(Kept oldest) {
    forget(oldest);
    try {
      Files.deleteIfExists(folder.resolve(oldest.name + BYTES));
      Files.deleteIfExists(folder.resolve(oldest.name + REASON));
    } catch (IOException e) {
      logger.warn("cannot delete {} in {}: {}", oldest.name, folder, e.getMessage());
    }
  }

  /** The number of inputs that were rejected since the start. */
  public long rejectedCount() {
    return rejected.get();
  }
}
