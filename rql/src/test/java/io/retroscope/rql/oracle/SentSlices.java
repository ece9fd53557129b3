// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.Slicing;
import io.retroscope.rql.engine.QueryEngine;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/** Another engine over the same events whose answers pass through bytes, and may break off. */
public final class SentSlices implements Slicing.Host {
  private final QueryEngine engine;
  private final EventSource source;
  private final Random random;
  private final boolean fails;
  private final AtomicInteger whole = new AtomicInteger();
  private final AtomicInteger broken = new AtomicInteger();

  /**
   * A host.
   *
   * @param fails whether answers break off at any byte
   */
  public SentSlices(QueryEngine engine, EventSource source, Random random, boolean fails) {
    this.engine = engine;
    this.source = source;
    this.random = random;
    this.fails = fails;
  }

  /** The number of answers to their end. */
  public int whole() {
    return whole.get();
  }

  /** The number of answers that broke off. */
  public int broken() {
    return broken.get();
  }

  @Override
  public InputStream walk(byte[] request) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (EventSource.View view = source.open()) {
      engine.walkSlice(request, view, out);
    }
    byte[] all = out.toByteArray();
    if (!fails) {
      whole.incrementAndGet();
      return new ByteArrayInputStream(all) {
        @Override
        public void close() throws IOException {
          throw new IOException("the connection is gone already");
        }
      };
    }
    broken.incrementAndGet();
    return new ByteArrayInputStream(Arrays.copyOf(all, random.nextInt(all.length)));
  }
}
