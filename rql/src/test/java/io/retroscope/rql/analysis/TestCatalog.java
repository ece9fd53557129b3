// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The logs and nodes of the queries in the test resources. */
public final class TestCatalog {
  /** Three small logs and a wide one, two nodes. */
  public static final Catalog CATALOG =
      of(
          Map.of(
              "setd", List.of("r1", "version", "znode"),
              "raft", List.of("role", "term", "version"),
              "clocks", List.of("hlc"),
              "wide", IntStream.range(0, 30).mapToObj(i -> "w" + i).toList()),
          List.of("zk1", "zk2"));

  private TestCatalog() {}

  /** Returns the catalog of logs with these variables, and of these nodes. */
  public static Catalog of(Map<String, List<String>> variablesByLog, List<String> nodes) {
    return new Catalog(
        variablesByLog.entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(log -> new LogDescription(log.getKey(), log.getValue(), 1))
            .toList(),
        nodes.stream().map(node -> new NodeDescription(node, 1, 0, 0)).toList());
  }
}
