// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.walk;

import io.retroscope.rql.cut.presence.LiveNodes;
import io.retroscope.rql.cut.walk.CutWalker;
import org.jspecify.annotations.Nullable;

/** The walk that moves the state of several queries, over history or as the watermark moves. */
public interface Track {
  /** The walker of the state. */
  CutWalker walker();

  /** The alarms of all queries. */
  AgeAlarms alarms();

  /** The live nodes of AT LIVE NODES; null if that does not matter. */
  @Nullable LiveNodes liveNodes();
}
