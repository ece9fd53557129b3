// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import io.retroscope.blocks.StoreNames;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.PackedColumn;
import io.retroscope.event.WireReader;
import io.retroscope.event.WireWriter;
import java.util.Arrays;

/** Sealed blocks whose checksums are right, but in which a section has other places. */
final class DamagedPlaces {
  /** The bytes before the length of the head: the magic number and the version. */
  private static final int BEFORE_HEAD = 5;

  private static final long CHECKSUM_MASK = 0xFFFFFFFFL;

  private DamagedPlaces() {}

  /**
   * A block like another one, but for the place that all changes of a section have in their rows.
   *
   * @param place 0 to 63
   */
  static SealedBlock with(SealedBlock block, Section section, int place, StoreNames names)
      throws CorruptBlockException {
    byte[] bytes = block.bytes().clone();
    int at = placeAt(bytes, section, block.rowCount());
    bytes[at] = (byte) (2 * place); // zigzag
    int checksum = Section.checksum(bytes, section.start(), section.length());
    return SealedBlockReader.open(withChecksum(bytes, section.checksum(), checksum), names);
  }

  /** The index of the byte with the place of all changes. */
  private static int placeAt(byte[] bytes, Section section, int rowCount)
      throws CorruptBlockException {
    WireReader in = section.open(bytes);
    int size = in.getBounded("number of changes", Changes.MAX_COUNT);
    Changes.readTexts(in);
    Changes.readNested(in);
    if (in.getBounded("mode of rows", 1) == 0) {
      PackedColumn.read(in, size);
    }
    int start = in.position();
    PackedColumn places = PackedColumn.read(in, size);
    if (!places.isConstant() || size > rowCount) {
      throw new IllegalArgumentException("changes at several places of their rows");
    }
    return start + 1;
  }

  /** The block with another checksum of a section in its head. */
  private static byte[] withChecksum(byte[] bytes, int before, int after)
      throws CorruptBlockException {
    WireReader in = new WireReader(bytes, BEFORE_HEAD, bytes.length, 0);
    int length = in.getBounded("bytes of a head", bytes.length);
    in.getVarint();
    int start = in.position();
    byte[] old = varint(before & CHECKSUM_MASK);
    byte[] head = Arrays.copyOfRange(bytes, start, start + length);
    int at = indexOf(old, head);
    WireWriter out = new WireWriter();
    out.putBytes(Arrays.copyOf(head, at));
    out.putVarint(after & CHECKSUM_MASK);
    out.putBytes(Arrays.copyOfRange(head, at + old.length, head.length));
    byte[] newHead = out.toByteArray();
    out.clear();
    out.putBytes(Arrays.copyOf(bytes, BEFORE_HEAD));
    out.putVarint(newHead.length);
    out.putVarint(Section.checksum(newHead, 0, newHead.length) & CHECKSUM_MASK);
    out.putBytes(newHead);
    out.putBytes(Arrays.copyOfRange(bytes, start + length, bytes.length));
    return out.toByteArray();
  }

  private static byte[] varint(long number) {
    WireWriter out = new WireWriter();
    out.putVarint(number);
    return out.toByteArray();
  }

  private static int indexOf(byte[] part, byte[] whole) {
    for (int at = 0; at + part.length <= whole.length; at++) {
      if (Arrays.equals(part, Arrays.copyOfRange(whole, at, at + part.length))) {
        return at;
      }
    }
    throw new IllegalArgumentException("the head does not have the checksum of the section");
  }
}
