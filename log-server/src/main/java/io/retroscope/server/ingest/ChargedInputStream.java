package io.retroscope.server.ingest;

import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.memory.OverBudgetException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * A stream whose bytes are counted and charged, with what they become, before they are handed out.
 * Used by one thread.
 */
final class ChargedInputStream extends FilterInputStream {
  /** Charged ahead, so that few reads have to. */
  private static final int STEP_BYTES = 4 * 1024;

  private final Charge charge;
  private final long chargedBefore;
  private final int memoryPerByte;
  private long count;
  private long charged;

  /**
   * A stream.
   *
   * @param charge counts what there was before as well
   * @param memoryPerByte how much memory each byte will take
   */
  ChargedInputStream(InputStream in, Charge charge, int memoryPerByte) {
    super(in);
    this.charge = charge;
    this.chargedBefore = charge.bytes();
    this.memoryPerByte = memoryPerByte;
  }

  /** How many bytes were read. */
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
   * Reads as every stream.
   *
   * @throws OverBudgetException if the memory for the bytes is not there
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
