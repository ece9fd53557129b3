// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.cluster.PartView.Scan;
import java.util.Optional;
import java.util.Set;

/**
 * A request of one server to another about an open reading, as JSON.
 *
 * @param scan events, as pieces
 * @param doubts the range of which to send the doubts
 * @param node whether this node may write {@code logs}
 * @param logs empty for any
 * @param tile of a timeline
 */
record ReadingRequest(
    What what,
    Optional<Scan> scan,
    Optional<HlcRange> doubts,
    Optional<String> node,
    Set<String> logs,
    Optional<TileRequest> tile) {
  /** A kind of request. */
  enum What {
    SCAN,
    DOUBTS,
    PRESENCES,
    MAY_WRITE,
    BLOCK_COUNT,
    TILE,
    CLOSE
  }

  static ReadingRequest of(What what) {
    return new ReadingRequest(
        what, Optional.empty(), Optional.empty(), Optional.empty(), Set.of(), Optional.empty());
  }

  static ReadingRequest of(Scan scan) {
    return new ReadingRequest(
        What.SCAN,
        Optional.of(scan),
        Optional.empty(),
        Optional.empty(),
        Set.of(),
        Optional.empty());
  }

  static ReadingRequest of(HlcRange doubts) {
    return new ReadingRequest(
        What.DOUBTS,
        Optional.empty(),
        Optional.of(doubts),
        Optional.empty(),
        Set.of(),
        Optional.empty());
  }

  static ReadingRequest mayWrite(String node, Set<String> logs) {
    return new ReadingRequest(
        What.MAY_WRITE,
        Optional.empty(),
        Optional.empty(),
        Optional.of(node),
        logs,
        Optional.empty());
  }

  static ReadingRequest of(TileRequest tile) {
    return new ReadingRequest(
        What.TILE,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Set.of(),
        Optional.of(tile));
  }

  /** The range whose doubts are requested. */
  HlcRange range() {
    return doubts.orElseThrow(() -> new IllegalArgumentException("a request without a range"));
  }
}
