// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.jgroups;

import io.retroscope.context.HlcContext;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.function.Supplier;
import org.jgroups.Header;

/**
 * The stamp of a message: 8 bytes. JGroups creates it by its public constructor and then reads it.
 * Its size is always the same, because a message that is transmitted again may get another stamp
 * while it is written. Used by one thread at a time, that which sends or receives the message.
 */
public final class HlcHeader extends Header {
  private final byte[] stamp;

  /** A header to be read. */
  public HlcHeader() {
    this(new byte[HlcContext.BYTE_COUNT]);
  }

  HlcHeader(byte[] stamp) {
    this.stamp = stamp;
  }

  byte[] stamp() {
    return stamp;
  }

  @Override
  public short getMagicId() {
    return HlcProtocol.ID;
  }

  @Override
  public Supplier<? extends Header> create() {
    return HlcHeader::new;
  }

  @Override
  public int serializedSize() {
    return HlcContext.BYTE_COUNT;
  }

  @Override
  public void writeTo(DataOutput out) throws IOException {
    out.write(stamp);
  }

  @Override
  public void readFrom(DataInput in) throws IOException {
    in.readFully(stamp);
  }
}
