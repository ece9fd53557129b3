// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.WireReader;
import java.util.zip.CRC32C;

/**
 * A part of a sealed block that is read on its own.
 *
 * @param variableId of a VARIABLE, otherwise 0
 * @param start the index of its first byte in the block
 */
public record Section(Kind kind, int variableId, int start, int length, int checksum) {
  /** The bit of a row's kind if the event's log has the empty name. */
  public static final int OF_NODE = 8;

  /** The kinds of sections. */
  public enum Kind {
    /** The microseconds and the logical counters of the rows. */
    STAMP(0),
    /** The index of each row's run. */
    NODE(1),
    /** The raw physical readings. */
    PHYSICAL(2),
    /** The sequence numbers. */
    SEQUENCE(3),
    /** The kinds of the rows, and whether a row's log is empty. */
    KIND(4),
    /** The marks. */
    MARKS(5),
    /** The contents of log lines, messages and starts. */
    DETAILS(6),
    /** The changes of the variables without a section of their own. */
    RARE(7),
    /** The changes of one variable. */
    VARIABLE(8);

    private static final Kind[] ALL = values();

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    public int code() {
      return code;
    }

    static int count() {
      return ALL.length;
    }

    static Kind ofCode(int code) {
      return ALL[code];
    }

    public boolean isOfVariable() {
      return this == VARIABLE;
    }
  }

  /** The identity of a section in its block. */
  record Key(Kind kind, int variableId) {}

  Key key() {
    return new Key(kind, variableId);
  }

  /** A reader of the section's bytes, after a check of them. */
  WireReader open(byte[] block) throws CorruptBlockException {
    if (checksum(block, start, length) != checksum) {
      throw new CorruptBlockException(start, "the checksum of the section " + key() + " differs");
    }
    return new WireReader(block, start, start + length, 0);
  }

  /** The CRC-32C of some bytes. */
  public static int checksum(byte[] bytes, int start, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, start, length);
    return (int) crc.getValue();
  }
}
