// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.cut.Watermark;
import java.util.Optional;

/**
 * The start of a STREAM.
 *
 * @param watermark the stamp up to which it walks at once
 * @param begin packed: without ON TIME, its rows begin here
 * @param resumed the place at which an earlier walk of the same statement ended; rows up to it are
 *     not repeated, and all later rows are the same as without the interruption
 */
public record LiveStart(Watermark watermark, long begin, Optional<StreamPlace> resumed) {
  /** A start at the watermark. */
  public static LiveStart at(Watermark watermark) {
    return new LiveStart(watermark, watermark.hlc(), Optional.empty());
  }

  /** A start whose rows begin at another stamp. */
  public static LiveStart at(Watermark watermark, long begin) {
    return new LiveStart(watermark, begin, Optional.empty());
  }

  /** Returns the same start of a stream that resumes an earlier one. */
  public LiveStart resuming(Optional<StreamPlace> place) {
    return new LiveStart(watermark, begin, place);
  }
}
