// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.replay;

import io.retroscope.rql.cut.Incompleteness;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Readings in the order in which their nodes recorded them. Used by one thread. */
public interface ReadingSource extends Closeable {
  /**
   * The next reading; null at the end.
   *
   * @throws IOException if they cannot be read
   */
  @Nullable ClockReading next() throws IOException;

  /** At the end, what every answer about these readings must say. */
  List<Incompleteness> reasons();

  @Override
  void close() throws IOException;
}
