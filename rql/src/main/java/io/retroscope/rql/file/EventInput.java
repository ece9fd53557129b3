package io.retroscope.rql.file;

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
import java.util.zip.GZIPInputStream;

/**
 * The bytes of a file or of the standard input, decompressed if they are compressed with gzip or
 * zstd. Used by one thread.
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
  private static final byte[] GZIP = {0x1f, (byte) 0x8b};
  private static final byte[] ZSTD = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd};

  private final Path path;
  private final RawBytes raw;
  private final boolean isCompressed;
  private final InputStream bytes;
  private boolean isCut;

  private EventInput(Path path, InputStream in) throws IOException {
    this.path = path;
    raw = new RawBytes(in);
    InputStream buffered = new BufferedInputStream(raw, BUFFER_BYTES);
    buffered.mark(ZSTD.length);
    byte[] start = buffered.readNBytes(ZSTD.length);
    buffered.reset();
    boolean isGzip = start.length >= 2 && Arrays.equals(Arrays.copyOf(start, 2), GZIP);
    isCompressed = isGzip || Arrays.equals(start, ZSTD);
    if (isGzip) {
      bytes = new BufferedInputStream(new Decompressed(gzip(buffered)), BUFFER_BYTES);
    } else {
      bytes =
          isCompressed
              ? new BufferedInputStream(
                  new Decompressed(new ZstdInputStream(buffered)), BUFFER_BYTES)
              : buffered;
    }
  }

  private InputStream gzip(InputStream compressed) throws IOException {
    try {
      return new GZIPInputStream(compressed, BUFFER_BYTES);
    } catch (EOFException e) {
      isCut = true;
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

  /** Whether the compressed data ended too early. */
  boolean isCut() {
    return isCut;
  }

  /** The number of bytes of the file that were read so far. */
  long readBytes() {
    return raw.count;
  }

  @Override
  public void close() throws IOException {
    bytes.close();
  }

  /** The bytes as they are stored, counted. */
  private static final class RawBytes extends FilterInputStream {
    private long count;
    private boolean ended;

    RawBytes(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      int b = super.read();
      count += b < 0 ? 0 : 1;
      ended |= b < 0;
      return b;
    }

    @Override
    public int read(byte[] to, int from, int length) throws IOException {
      int read = super.read(to, from, length);
      count += Math.max(0, read);
      ended |= read < 0;
      return read;
    }
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
      } catch (EOFException e) {
        isCut = true;
        return -1;
      } catch (IOException | MalformedInputException e) {
        boolean mayBeCut = raw.ended && in instanceof ZstdInputStream;
        if (mayBeCut) {
          isCut = true;
          return -1;
        }
        throw new EventFileException(
            "%s: byte %d: its compressed data is damaged: %s"
                .formatted(name(), raw.count, e.getMessage()),
            e);
      }
      count += Math.max(0, read);
      if (count > MIN_CHECKED_BYTES && count / MAX_RATIO > raw.count) {
        throw new EventFileException(
            "%s: grows to more than %d times its size, which logs do not: decompress it first"
                .formatted(name(), MAX_RATIO));
      }
      if (count > MAX_BYTES) {
        throw new EventFileException(
            "%s: has more than %d GiB after decompression".formatted(name(), MAX_BYTES >> 30));
      }
      return read;
    }
  }
}
