// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.sealed;

import io.retroscope.blocks.NameTable;
import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.zone.SealedSummary;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.WireReader;
import io.retroscope.event.WireWriter;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;

/** The bytes of a {@link SealedFile}; see {@code docs/format/sealed-file.md}. */
final class SealedFileFormat {
  /*
   *   "RTSF" | version 1 | 3 zero bytes | frames
   *
   *   frame:  kind | length (4 bytes) | CRC-32C of kind, length and content (4 bytes) | content
   *   names:  the nodes and the variables that are new since the previous frame of names
   *   zone:   the LongZone of the block in the frame before, if it has one
   *   timeline: the TimelineBins of the block before it, after the zone if there is one
   *   index:  all names, and place, length, log and zone of each block
   *   end:    the place of the index (8 bytes), so that it is found from the end of the file
   */
  static final int HEADER_BYTES = 8;
  static final int FRAME_HEAD_BYTES = 9;
  static final int END_BYTES = FRAME_HEAD_BYTES + Long.BYTES;

  /** The longest content of a frame: that of a block of the largest events is far below. */
  static final int MAX_CONTENT_BYTES = 1 << 29;

  private static final byte[] MAGIC = {'R', 'T', 'S', 'F'};
  private static final byte VERSION = 1;

  private SealedFileFormat() {}

  /** The kinds of frames. */
  enum Kind {
    NAMES(1),
    BLOCK(2),
    SUMMARY(3),
    INDEX(4),
    END(5),
    ZONE(6),
    TIMELINE(7);

    private final byte code;

    Kind(int code) {
      this.code = (byte) code;
    }

    byte code() {
      return code;
    }
  }

  /** A frame's head, with what its content must be. */
  record Head(int kind, int length, int checksum) {
    static Head read(ByteBuffer in) {
      return new Head(in.get(), in.getInt(), in.getInt());
    }

    boolean isOf(Kind expected) {
      return kind == expected.code();
    }

    boolean fits(byte[] content) {
      return checksumOf(kind, content) == checksum;
    }
  }

  static byte[] header() {
    return ByteBuffer.allocate(HEADER_BYTES).put(MAGIC).put(VERSION).array();
  }

  /**
   * Checks the first bytes of a file.
   *
   * @throws CorruptBlockException if they are not those of a sealed file, or of a later version
   */
  static void checkHeader(byte[] header) throws CorruptBlockException {
    if (!isHeader(header)) {
      throw new CorruptBlockException(0, "not a file of sealed blocks");
    }
    if (header[MAGIC.length] != VERSION) {
      throw new CorruptBlockException(
          MAGIC.length,
          "file of sealed blocks of version %d; this program reads %d"
              .formatted(header[MAGIC.length], VERSION));
    }
  }

  static boolean isHeader(byte[] start) {
    boolean same = start.length >= HEADER_BYTES;
    for (int i = 0; same && i < MAGIC.length; i++) {
      same = start[i] == MAGIC[i];
    }
    return same;
  }

  static ByteBuffer frame(Kind kind, byte[] content) {
    if (content.length > MAX_CONTENT_BYTES) {
      throw new IllegalArgumentException("a frame of " + content.length + " bytes is too long");
    }
    ByteBuffer frame = ByteBuffer.allocate(FRAME_HEAD_BYTES + content.length);
    frame.put(kind.code()).putInt(content.length).putInt(checksumOf(kind.code(), content));
    return frame.put(content).flip();
  }

  private static int checksumOf(int kind, byte[] content) {
    CRC32C checksum = new CRC32C();
    checksum.update(kind);
    checksum.update(ByteBuffer.allocate(Integer.BYTES).putInt(content.length).flip());
    checksum.update(content);
    return (int) checksum.getValue();
  }

  /** The names of the variables that the zone of a block refers to by index. */
  static List<String> written(SealedSummary block, StoreNames names) {
    return block.variables().stream().map(names.variables()::name).toList();
  }

  /** Writes the names of a table from an id on. */
  static void putNames(NameTable table, int from, WireWriter out) {
    List<String> names = table.names();
    out.putVarint(names.size() - (long) from);
    names.subList(from, names.size()).forEach(out::putText);
  }

  /** Adds names to a table, which must not contain them yet. */
  static void readNames(WireReader in, NameTable table) throws CorruptBlockException {
    int count = in.getCount("names");
    for (int i = 0; i < count; i++) {
      int expected = table.size();
      if (table.idOf(in.getText()) != expected) {
        throw in.corrupt("a name is repeated");
      }
    }
  }
}
