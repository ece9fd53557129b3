// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

/**
 * The data of the rows that were sent last. The clients of one query receive the same rows one
 * after the other, so that each row is written as JSON once for all of them. Thread-safe.
 */
final class RowTexts {
  private static final int COUNT = 64;

  /** The longest data that is kept. */
  private static final int MAX_BYTES = 64 << 10;

  private final AtomicReferenceArray<Kept> kept = new AtomicReferenceArray<>(COUNT);

  /**
   * What determines the data of a row.
   *
   * @param form the name of the form in which it is written
   */
  record Key(String form, List<Column> columns, Row row) {}

  private record Kept(Key key, byte[] data) {}

  /**
   * The data of a row.
   *
   * @param text writes it as JSON
   */
  byte[] data(Key key, Supplier<String> text) {
    int place = Math.floorMod(key.hashCode(), COUNT);
    Kept last = kept.get(place);
    if (last != null && last.key().equals(key)) {
      return last.data();
    }
    byte[] data = OutgoingEvent.data(text.get());
    if (data.length <= MAX_BYTES) {
      kept.set(place, new Kept(key, data));
    }
    return data;
  }
}
