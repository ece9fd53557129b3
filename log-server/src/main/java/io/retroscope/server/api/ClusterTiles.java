// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.rql.timeline.TileAddress;
import io.retroscope.rql.timeline.TileMaker;
import io.retroscope.server.api.TimelineEndpoint.Wanted;
import io.retroscope.server.cluster.Cluster;
import java.util.Optional;

/** Tiles that are joined of those of all partitions. */
record ClusterTiles(Cluster cluster) implements Tiles {
  @Override
  public TileMaker.Source source(TileAddress address, TileMaker.Limits limits) {
    throw new IllegalStateException("no tile of a cluster has a source");
  }

  @Override
  public Fresh make(Wanted wanted, TileMaker.Limits limits) {
    return new Fresh(
        Optional.empty(),
        cluster.tile(wanted.address(), wanted.logs(), wanted.variables(), limits));
  }
}
