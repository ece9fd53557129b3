// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.ingest;

import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.memory.OverBudgetException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * A stream that counts its bytes and charges the memory for them and their decoded form before it
 * returns them. Used by one thread.
 */
final class ChargedInputStream extends FilterInputStream {
  /** The amount that is charged in advance, so that few reads have to charge. */
  private static final int STEP_BYTES = 4 * 1024;

  private final Charge charge;
  private final long chargedBefore;
  private final int memoryPerByte;
  private long count;
  private long charged;

  /**
   * A stream.
   *
   * @param charge already contains the memory charged before
   * @param memoryPerByte the memory that each byte will take
   */
  ChargedInputStream(InputStream in, Charge charge, int memoryPerByte) {
    super(in);
    this.charge = charge;
    this.chargedBefore = charge.bytes();
    this.memoryPerByte = memoryPerByte;
  }

  /** The number of bytes that were read. */
  long count() {
    return count;
  }

  @Override
  public int read() throws IOException {
    int read = super.read();
    add(read < 0 ? 0 : 1);
    return read;
  }

  /**
   * As {@link InputStream#read(byte[], int, int)}.
   *
   * @throws OverBudgetException if there is not enough memory for the bytes
   */
  @Override
  public int read(byte[] bytes, int from, int length) throws IOException {
    int read = super.read(bytes, from, Math.min(length, STEP_BYTES));
    add(Math.max(read, 0));
    return read;
  }

  private void add(int bytes) {
    count += bytes;
    if (count > charged) {
      charged = count + STEP_BYTES;
      charge.resize(chargedBefore + charged * memoryPerByte);
    }
  }
}
