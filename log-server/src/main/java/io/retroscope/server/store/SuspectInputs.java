// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.server.store.disk.DataDirectory;
import io.retroscope.server.store.disk.StoreException;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The digests of inputs that were being decoded when the process ended. An input that was being
 * decoded at two successive ends is refused, so that no input can end the process repeatedly.
 * Thread-safe.
 *
 * <p>An input that was recorded once is decoded alone: if the process ends again, that input is the
 * cause.
 */
public final class SuspectInputs {
  /*
   * The digests of inputs being decoded are in a memory-mapped file. They survive the process
   * without a sync, because the kernel owns the page. They may be missing only after a power
   * failure, which no input causes. The cost of an input is thus its digest and two writes of 32
   * bytes to memory.
   */
  private static final String DECODING_FILE = "DECODING";
  private static final String SUSPECTS_FILE = "SUSPECTS";
  private static final int SLOTS = 128;
  private static final int DIGEST_BYTES = 32;
  private static final byte[] FREE = new byte[DIGEST_BYTES];
  private static final int MAX_REFUSED = 1_000;
  private static final long MAX_REFUSED_BYTES = 64L << 20;
  private static final String REFUSED = "refused ";
  private static final String ONCE = "once ";

  private final Path directory;
  private final RejectedInput rejected;
  private final MappedByteBuffer slots;
  private final Queue<Integer> free = new ConcurrentLinkedQueue<>();
  private final Set<String> once;
  private final Set<String> refused;
  private final Set<String> kept = ConcurrentHashMap.newKeySet();
  private final ReadWriteLock alone = new ReentrantReadWriteLock();

  /**
   * A refused input: the process ended twice while it was decoded, and no part of it may be used.
   */
  public static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    RefusedException(String message) {
      super(message);
    }
  }

  /** Held while an input is decoded. */
  public interface Decoding {
    /** Records that the process has survived the input; called by the thread that began it. */
    void end();
  }

  /**
   * A guard for inputs that are not stored in this process.
   *
   * @param directory keeps those that are refused
   * @throws StoreException if the directory cannot be used
   */
  public static SuspectInputs in(Path directory) {
    return new SuspectInputs(
        directory, new RejectedInput(directory, MAX_REFUSED, MAX_REFUSED_BYTES));
  }

  /**
   * Reads the digests that the previous process left, and keeps them for the next start.
   *
   * @param rejected keeps refused inputs
   * @throws StoreException if the files cannot be read or written
   */
  SuspectInputs(Path directory, RejectedInput rejected) {
    this.directory = directory;
    this.rejected = rejected;
    try {
      slots = map(directory.resolve(DECODING_FILE));
      List<String> known = known();
      refused = new LinkedHashSet<>(after(REFUSED, known));
      Set<String> left = left();
      Set<String> twice = new HashSet<>(left);
      twice.retainAll(after(ONCE, known));
      refused.addAll(twice);
      left.removeAll(refused);
      once = Set.copyOf(left);
      write(known);
    } catch (IOException e) {
      throw new StoreException("cannot keep what is decoded in " + directory + ": " + e, e);
    }
    for (int slot = 0; slot < SLOTS; slot++) {
      slots.put(slot * DIGEST_BYTES, FREE);
      free.add(slot);
    }
  }

  private static MappedByteBuffer map(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) SLOTS * DIGEST_BYTES);
    }
  }

  private List<String> known() throws IOException {
    Path file = directory.resolve(SUSPECTS_FILE);
    return Files.exists(file) ? DataDirectory.text(file).lines().toList() : List.of();
  }

  private static List<String> after(String word, List<String> lines) {
    return lines.stream()
        .filter(line -> line.startsWith(word))
        .map(line -> line.substring(word.length()))
        .toList();
  }

  private Set<String> left() {
    Set<String> digests = new LinkedHashSet<>();
    for (int slot = 0; slot < SLOTS; slot++) {
      byte[] digest = new byte[DIGEST_BYTES];
      slots.get(slot * DIGEST_BYTES, digest);
      if (!Arrays.equals(digest, FREE)) {
        digests.add(HexFormat.of().formatHex(digest));
      }
    }
    return digests;
  }

  private void write(List<String> known) throws IOException {
    List<String> lines = new ArrayList<>();
    refused.stream()
        .skip(Math.max(0, refused.size() - MAX_REFUSED))
        .forEach(digest -> lines.add(REFUSED + digest));
    once.forEach(digest -> lines.add(ONCE + digest));
    if (!lines.equals(known)) {
      DataDirectory.writeDurably(directory.resolve(SUSPECTS_FILE), String.join("\n", lines) + "\n");
    }
  }

  /**
   * Records that an input is about to be decoded.
   *
   * @param origin where it came from, for display
   * @throws RefusedException if it must not be decoded; it is kept then
   * @throws StoreException if it must not be decoded, and cannot be kept
   */
  public Decoding begin(byte[] input, String origin) throws RefusedException {
    byte[] digest = digest(input);
    // Usually there is nothing to look up.
    String name = once.isEmpty() && refused.isEmpty() ? "" : HexFormat.of().formatHex(digest);
    if (refused.contains(name)) {
      throw refuse(input, name, origin);
    }
    Lock lock = once.contains(name) ? alone.writeLock() : alone.readLock();
    lock.lock();
    Integer slot = free.poll();
    if (slot != null) {
      slots.put(slot * DIGEST_BYTES, digest);
    }
    return () -> {
      if (slot != null) {
        slots.put(slot * DIGEST_BYTES, FREE);
        free.add(slot);
      }
      lock.unlock();
    };
  }

  private RefusedException refuse(byte[] input, String name, String origin) {
    String reason =
        "the server ended twice while it decoded this input, so it is not decoded again; delete %s to retry it"
            .formatted(SUSPECTS_FILE);
    if (kept.add(name)) {
      try {
        rejected.keep("suspect-" + name.substring(0, 16), input, origin + ": " + reason);
      } catch (StoreException e) {
        kept.remove(name);
        throw e;
      }
    }
    return new RefusedException(reason + "; it is kept in " + RejectedInput.FOLDER);
  }

  private static byte[] digest(byte[] input) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(input);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}
