package io.retroscope.rql.analysis;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The logs and nodes of the queries in the test resources. */
public final class TestCatalog {
  /** Three small logs and a wide one, two nodes. */
  public static final Catalog CATALOG =
      new Catalog(
          Map.of(
              "setd", List.of("r1", "version", "znode"),
              "raft", List.of("role", "term", "version"),
              "clocks", List.of("hlc"),
              "wide", IntStream.range(0, 30).mapToObj(i -> "w" + i).toList()),
          List.of("zk1", "zk2"));

  private TestCatalog() {}
}
