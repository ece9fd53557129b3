// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.rql.timeline.TileAddress;
import io.retroscope.rql.timeline.TileMaker;
import java.util.Set;

/**
 * A tile of a timeline.
 *
 * @param logs all if empty
 * @param variables those with extremes; all if empty
 */
record TileRequest(
    TileAddress address, Set<String> logs, Set<String> variables, TileMaker.Limits limits) {
  /** Copies the sets. */
  TileRequest {
    logs = Set.copyOf(logs);
    variables = Set.copyOf(variables);
  }
}
