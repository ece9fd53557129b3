// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.rql.engine.statement.NodeRefusedException;
import io.retroscope.rql.engine.statement.NodeRegister;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.run.Incarnation;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The administration of nodes: an operator can forget those that will not return. Thread-safe.
 *
 * @param closing closes all runs of a node durably, and returns those that it has closed; throws a
 *     {@link StoreException} if it cannot
 */
record NodeAdministration(Function<String, List<Incarnation>> closing, WatermarkTracker watermarks)
    implements NodeRegister {
  private static final Logger logger = LoggerFactory.getLogger(NodeAdministration.class);

  @Override
  public List<ClosedRun> forget(String node) {
    Optional<String> unread = watermarks.holdingInflows().stream().findFirst();
    if (unread.isPresent()) {
      throw new NodeRefusedException(
          "it is not known whether node \"%s\" is active: %s".formatted(node, unread.get()),
          "try again once everything is read");
    }
    if (watermarks.isHeardFrom(node)) {
      throw new NodeRefusedException(
          "node \"%s\" is active".formatted(node),
          "stop it first; only a node that will not return can be forgotten");
    }
    try {
      List<ClosedRun> closed =
          closing.apply(node).stream()
              .map(run -> new ClosedRun(run.name().incarnation(), run.lastHeardHlc()))
              .toList();
      logger.info("node {} was forgotten, with {} runs", node, closed.size());
      return closed;
    } catch (StoreException e) {
      throw new NodeRefusedException(
          String.valueOf(e.getMessage()), "try again once the store can be written");
    }
  }
}
