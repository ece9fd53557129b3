// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.airlift.compress.MalformedInputException;
import io.airlift.compress.zstd.ZstdInputStream;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The bytes of a file or of the standard input, decompressed if they are compressed with gzip or
 * zstd, and in UTF-8 if they are UTF-16 with a byte order mark. Used by one thread.
 */
final class EventInput implements Closeable {
  /** The name of the standard input, unless there is a file of this name. */
  static final Path STANDARD_INPUT = Path.of("-");

  /** A log becomes 5 to 50 times smaller. A file that grows more is made to exhaust the disk. */
  private static final long MAX_RATIO = 250;

  /** The size from which on the ratio is checked. */
  private static final long MIN_CHECKED_BYTES = 64L << 20;

  private static final long MAX_BYTES = 200L << 30;
  private static final int BUFFER_BYTES = 1 << 16;
  private static final String CUT_OFF = "its compressed data is cut off";
  private static final byte[] GZIP = {0x1f, (byte) 0x8b};
  private static final byte[] ZSTD = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd};

  private final Path path;
  private final CountedInput raw;
  private final boolean isCompressed;
  private final InputStream bytes;
  private Optional<String> trouble = Optional.empty();

  private EventInput(Path path, InputStream in) throws IOException {
    this.path = path;
    raw = new CountedInput(in);
    InputStream buffered = new BufferedInputStream(raw, BUFFER_BYTES);
    buffered.mark(ZSTD.length);
    byte[] start = buffered.readNBytes(ZSTD.length);
    buffered.reset();
    boolean isGzip = start.length >= 2 && Arrays.equals(Arrays.copyOf(start, 2), GZIP);
    isCompressed = isGzip || Arrays.equals(start, ZSTD);
    bytes = decoded(isCompressed ? decompressed(buffered, isGzip) : buffered);
  }

  private InputStream decompressed(InputStream compressed, boolean isGzip) throws IOException {
    InputStream whole = isGzip ? gzip(compressed) : new ZstdInputStream(compressed);
    return new BufferedInputStream(new Decompressed(whole), BUFFER_BYTES);
  }

  private static InputStream decoded(InputStream in) throws IOException {
    in.mark(Utf16Text.MARK_BYTES);
    byte[] start = in.readNBytes(Utf16Text.MARK_BYTES);
    in.reset();
    return Utf16Text.isMarked(start)
        ? new BufferedInputStream(new Utf16Text(in), BUFFER_BYTES)
        : in;
  }

  private InputStream gzip(InputStream compressed) throws IOException {
    try {
      return new GzipMembers(compressed, BUFFER_BYTES);
    } catch (EOFException e) {
      trouble = Optional.of(CUT_OFF);
      return InputStream.nullInputStream();
    }
  }

  /** Opens a file; {@code -} is the standard input. It is opened only once: it may be a pipe. */
  static EventInput open(Path path, InputStream standardInput) throws IOException {
    if (Files.isDirectory(path)) {
      throw new EventFileException(path + ": is a folder");
    }
    InputStream in = isStandardInput(path) ? standardInput : Files.newInputStream(path);
    try {
      return new EventInput(path, in);
    } catch (IOException | RuntimeException e) {
      in.close();
      throw e;
    }
  }

  static boolean isStandardInput(Path path) {
    return path.equals(STANDARD_INPUT) && !Files.exists(path);
  }

  /** The decompressed bytes; {@code mark} is supported. */
  InputStream bytes() {
    return bytes;
  }

  Path path() {
    return path;
  }

  /** The name for messages. */
  String name() {
    return isStandardInput(path) ? "standard input" : path.toString();
  }

  boolean isCompressed() {
    return isCompressed;
  }

  /** At the end: what the compressed data lacks, if anything. */
  Optional<String> trouble() {
    return trouble;
  }

  /** The number of bytes of the file that were read so far. */
  long readBytes() {
    return raw.count();
  }

  @Override
  public void close() throws IOException {
    bytes.close();
  }

  /** A decompressor's bytes, of which there are not too many. */
  private final class Decompressed extends FilterInputStream {
    private long count;

    Decompressed(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] to, int from, int length) throws IOException {
      int read;
      try {
        read = super.read(to, from, length);
        if (read < 0 && trouble.isEmpty() && in instanceof GzipMembers members) {
          noteUnread(members.unreadBytes());
        }
      } catch (IOException | MalformedInputException e) {
        read = repair(e) ? readAgain(to, from, length) : -1;
      }
      count += Math.max(0, read);
      checkGrowth();
      return read;
    }

    /** Reads from the repaired data, which may be damaged further on. */
    private int readAgain(byte[] to, int from, int length) {
      try {
        return super.read(to, from, length);
      } catch (IOException | MalformedInputException e) {
        return -1;
      }
    }

    private void noteUnread(long bytes) {
      if (bytes > 0) {
        trouble =
            Optional.of(
                String.format(
                    Locale.ROOT, "%,d bytes after its compressed data are not read", bytes));
      }
    }

    /**
     * Notes why decompression failed, and continues with what can be read of a zstd file; returns
     * whether there may be more.
     */
    private boolean repair(Exception e) throws IOException {
      boolean isFirst = trouble.isEmpty();
      if (isFirst) {
        // A zstd stream that lacks bytes fails as an input, and one with wrong bytes as malformed.
        boolean isCut =
            e instanceof EOFException
                || (e instanceof IOException && in instanceof ZstdInputStream);
        trouble =
            Optional.of(
                isCut
                    ? String.format(Locale.ROOT, "%s after %,d bytes", CUT_OFF, raw.count())
                    : String.format(
                        Locale.ROOT,
                        "its compressed data is damaged at byte %,d: %s",
                        raw.count(),
                        e.getMessage()));
      }
      if (!isFirst || !(in instanceof ZstdInputStream) || !Files.isRegularFile(path)) {
        return false;
      }
      in.close();
      in =
          new ZstdInputStream(
              new ZstdRepair(new BufferedInputStream(Files.newInputStream(path), BUFFER_BYTES)));
      return hasSkipped(in, count);
    }

    private void checkGrowth() {
      if (count > MIN_CHECKED_BYTES && count / MAX_RATIO > raw.count()) {
        throw new EventFileException(
            "%s: grows to more than %d times its size, which logs do not: decompress it first"
                .formatted(name(), MAX_RATIO));
      }
      if (count > MAX_BYTES) {
        throw new EventFileException(
            "%s: has more than %d GiB after decompression".formatted(name(), MAX_BYTES >> 30));
      }
    }
  }

  /** Skips bytes that were read before; returns whether there were as many. */
  private static boolean hasSkipped(InputStream in, long count) {
    try {
      in.skipNBytes(count);
      return true;
    } catch (IOException | MalformedInputException e) {
      return false;
    }
  }
}
