// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.sealed;

import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.read.SealedBlock;
import io.retroscope.blocks.read.SealedBlockReader;
import io.retroscope.blocks.sealed.SealedFileFormat.Head;
import io.retroscope.blocks.sealed.SealedFileFormat.Kind;
import io.retroscope.blocks.timeline.TimelineBins;
import io.retroscope.blocks.timeline.TimelineCodec;
import io.retroscope.blocks.zone.LongZone;
import io.retroscope.blocks.zone.SealedSummary;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.WireReader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A store in one file: sealed blocks, their names, and an index at the end. Memory holds the index
 * and no block. Thread-safe.
 *
 * <p>A file that its writer did not finish, because it was ended, is readable up to its last whole
 * frame.
 */
public final class SealedFile implements Closeable {
  private static final long MAX_INDEX_BLOCKS = 1L << 24;

  private final FileChannel channel;
  private final StoreNames names = new StoreNames();
  private final List<Entry> entries = new ArrayList<>();
  private Optional<byte[]> summary = Optional.empty();
  private long unreadBytes;

  /**
   * A block of the file.
   *
   * @param position the index of its frame's first byte
   * @param length of the block, in bytes
   */
  public record Entry(long position, int length, String log, SealedSummary zone) {}

  private SealedFile(FileChannel channel) {
    this.channel = channel;
  }

  /** Whether a file begins as one with sealed blocks does. */
  public static boolean isOne(byte[] firstBytes) {
    return SealedFileFormat.isHeader(firstBytes);
  }

  /**
   * Opens a file.
   *
   * @throws CorruptBlockException if it is not a file of sealed blocks, is of a later version, or
   *     its index is damaged
   * @throws IOException if it cannot be read
   */
  public static SealedFile open(Path path) throws IOException {
    FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
    try {
      SealedFile file = new SealedFile(channel);
      file.readAll(Files.size(path));
      return file;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private void readAll(long size) throws IOException {
    SealedFileFormat.checkHeader(
        read(0, (int) Math.min(size, SealedFileFormat.HEADER_BYTES)).array());
    long index = indexPosition(size);
    if (index > 0) {
      readIndex(index, size);
    } else {
      readFrames(size);
    }
  }

  /** The place of the index according to the end of the file; 0 if the file has no such end. */
  private long indexPosition(long size) throws IOException {
    long at = size - SealedFileFormat.END_BYTES;
    if (at < SealedFileFormat.HEADER_BYTES) {
      return 0;
    }
    Head head = head(at);
    if (!head.isOf(Kind.END) || head.length() != Long.BYTES) {
      return 0;
    }
    byte[] content = content(at, head);
    return head.fits(content) ? ByteBuffer.wrap(content).getLong() : 0;
  }

  private void readIndex(long at, long size) throws IOException {
    byte[] content = frame(at, size, Kind.INDEX);
    WireReader in = new WireReader(content, 0, content.length, at);
    SealedFileFormat.readNames(in, names.nodes());
    SealedFileFormat.readNames(in, names.variables());
    summary = Optional.of(frame(in.getLong(), size, Kind.SUMMARY));
    long count = in.getVarint();
    if (count < 0 || count > Math.min(in.remaining(), MAX_INDEX_BLOCKS)) {
      throw in.corrupt("an index of " + count + " blocks");
    }
    for (long i = 0; i < count; i++) {
      long position = in.getLong();
      int length = in.getBounded("length of a block", SealedFileFormat.MAX_CONTENT_BYTES);
      entries.add(new Entry(position, length, in.getText(), SealedSummary.read(in, names)));
    }
  }

  /** Reads each frame, up to the first that is not whole. */
  private void readFrames(long size) throws IOException {
    long at = SealedFileFormat.HEADER_BYTES;
    while (size - at >= SealedFileFormat.FRAME_HEAD_BYTES) {
      Head head = head(at);
      if (!isWithin(head, at, size)) {
        break;
      }
      byte[] content = content(at, head);
      if (!head.fits(content)) {
        break;
      }
      if (head.isOf(Kind.NAMES)) {
        WireReader in = new WireReader(content, 0, content.length, at);
        SealedFileFormat.readNames(in, names.nodes());
        SealedFileFormat.readNames(in, names.variables());
      } else if (head.isOf(Kind.BLOCK)) {
        SealedBlock block = SealedBlockReader.open(content, names);
        entries.add(new Entry(at, content.length, block.log(), block.zone()));
      }
      at += SealedFileFormat.FRAME_HEAD_BYTES + content.length;
    }
    unreadBytes = size - at;
  }

  private static boolean isWithin(Head head, long at, long size) {
    return head.length() >= 0
        && head.length() <= SealedFileFormat.MAX_CONTENT_BYTES
        && head.length() <= size - at - SealedFileFormat.FRAME_HEAD_BYTES;
  }

  private byte[] frame(long at, long size, Kind kind) throws IOException {
    if (at < SealedFileFormat.HEADER_BYTES || at > size - SealedFileFormat.FRAME_HEAD_BYTES) {
      throw new CorruptBlockException(at, "the file has no " + kind + " there");
    }
    Head head = head(at);
    if (!head.isOf(kind) || !isWithin(head, at, size)) {
      throw new CorruptBlockException(at, "the file has no " + kind + " there");
    }
    byte[] content = content(at, head);
    if (!head.fits(content)) {
      throw new CorruptBlockException(at, "the checksum of the " + kind + " does not match");
    }
    return content;
  }

  private Head head(long at) throws IOException {
    return Head.read(read(at, SealedFileFormat.FRAME_HEAD_BYTES));
  }

  private byte[] content(long at, Head head) throws IOException {
    return read(at + SealedFileFormat.FRAME_HEAD_BYTES, head.length()).array();
  }

  private ByteBuffer read(long at, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining()) {
      int read = channel.read(bytes, at + bytes.position());
      if (read < 0) {
        throw new CorruptBlockException(
            at, "%d bytes are missing at the end of the file".formatted(bytes.remaining()));
      }
    }
    return bytes.flip();
  }

  /** The blocks in the order in which they were written. */
  public List<Entry> entries() {
    return List.copyOf(entries);
  }

  /** The names that the blocks refer to. */
  public StoreNames names() {
    return names;
  }

  /** What the writer added at the end; empty if it did not finish the file. */
  public Optional<byte[]> summary() {
    return summary.map(byte[]::clone);
  }

  /** The number of bytes after the last whole frame; 0 if the file was finished. */
  public long unreadBytes() {
    return unreadBytes;
  }

  /**
   * Reads the whole file.
   *
   * @throws CorruptBlockException if its writer did not finish it, or any part of it is damaged
   */
  public void checkWhole() throws IOException {
    if (summary.isEmpty()) {
      throw new CorruptBlockException(0, "the file was not finished");
    }
    long size = channel.size();
    long at = SealedFileFormat.HEADER_BYTES;
    while (at < size) {
      boolean hasHead = size - at >= SealedFileFormat.FRAME_HEAD_BYTES;
      Head head = hasHead ? head(at) : null;
      if (head == null || !isWithin(head, at, size) || !head.fits(content(at, head))) {
        throw new CorruptBlockException(at, "the checksum does not match");
      }
      at += SealedFileFormat.FRAME_HEAD_BYTES + (long) head.length();
    }
  }

  /**
   * Reads a block.
   *
   * @throws CorruptBlockException if it is damaged
   */
  public SealedBlock read(Entry entry) throws IOException {
    byte[] content =
        read(entry.position(), SealedFileFormat.FRAME_HEAD_BYTES + entry.length()).array();
    ByteBuffer frame = ByteBuffer.wrap(content);
    Head head = Head.read(frame);
    if (!head.isOf(Kind.BLOCK) || head.length() != entry.length()) {
      throw new CorruptBlockException(entry.position(), "the file has no block there");
    }
    byte[] block = new byte[entry.length()];
    frame.get(block);
    // The sections are checked when they are read, so that the rest costs nothing.
    return SealedBlockReader.open(block, names);
  }

  /**
   * What a block does to a state; empty if that is not known without the block, or is damaged.
   *
   * @throws IOException if the file cannot be read
   */
  public Optional<LongZone> longZone(Entry entry) throws IOException {
    long at = after(entry);
    Optional<byte[]> content = attachment(at, Kind.ZONE);
    if (content.isEmpty()) {
      return Optional.empty();
    }
    byte[] bytes = content.get();
    try {
      SealedSummary block = entry.zone();
      return LongZone.read(
          new WireReader(bytes, 0, bytes.length, at),
          bytes,
          block.firstHlc(),
          entry.log(),
          SealedFileFormat.written(block, names),
          names.nodes());
    } catch (CorruptBlockException e) {
      return Optional.empty(); // The block itself is read.
    }
  }

  /**
   * The stored bins of a block; empty if an older program wrote it, or they are damaged.
   *
   * @throws IOException if the file cannot be read
   */
  public Optional<TimelineBins> timeline(Entry entry) throws IOException {
    long at = after(entry);
    if (channel.size() - at >= SealedFileFormat.FRAME_HEAD_BYTES) {
      Head next = head(at);
      at += next.isOf(Kind.ZONE) ? SealedFileFormat.FRAME_HEAD_BYTES + (long) next.length() : 0;
    }
    Optional<byte[]> content = attachment(at, Kind.TIMELINE);
    try {
      return content.isEmpty()
          ? Optional.empty()
          : Optional.of(TimelineCodec.decode(content.get(), names));
    } catch (CorruptBlockException e) {
      return Optional.empty(); // The block itself is read.
    }
  }

  private static long after(Entry block) {
    return block.position() + SealedFileFormat.FRAME_HEAD_BYTES + block.length();
  }

  /** The content of a frame; empty if there is none of this kind, or it is damaged. */
  private Optional<byte[]> attachment(long at, Kind kind) throws IOException {
    long size = channel.size();
    if (at < 0 || size - at < SealedFileFormat.FRAME_HEAD_BYTES) {
      return Optional.empty();
    }
    Head head = head(at);
    if (!head.isOf(kind) || !isWithin(head, at, size)) {
      return Optional.empty();
    }
    byte[] content = content(at, head);
    return head.fits(content) ? Optional.of(content) : Optional.empty();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
