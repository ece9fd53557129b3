// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.live;

import io.retroscope.rql.answer.StreamPlace;
import java.util.Optional;

/**
 * Where the rows of a STREAM begin. A server reads it before the client learns that the query runs:
 * what the client causes from then on has its rows.
 *
 * @param begin packed: without ON TIME, its rows begin here
 * @param resumed the place at which an earlier walk of the same statement ended; rows up to it are
 *     not repeated, and all later rows are the same as without the interruption
 */
public record LiveStart(long begin, Optional<StreamPlace> resumed) {
  /** The start of a stream that resumes none. */
  public static LiveStart at(long begin) {
    return new LiveStart(begin, Optional.empty());
  }

  /** The continuation of a stream at a place. */
  public static LiveStart resuming(StreamPlace place) {
    return new LiveStart(place.start(), Optional.of(place));
  }
}
