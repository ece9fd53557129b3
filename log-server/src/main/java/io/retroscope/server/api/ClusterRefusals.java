// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Handler;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The routes of a single server that a server of a cluster refuses, with a sentence each. */
final class ClusterRefusals {
  private static final int NOT_IMPLEMENTED = 501;
  private static final String LINES =
      "a cluster accepts events as blocks or lines at POST /v1/events and from its topic only";
  private static final String CLOCKS = "a cluster does not align clocks across partitions";
  private static final String STATUS =
      "a cluster does not list nodes here: see /v1/cluster, and SHOW NODES for the nodes";
  private static final String PAGES =
      "a cluster has no console: query it with POST /v1/query or \"retroscope query --server\"";
  private static final String UPKEEP =
      "a cluster has no backups or compaction on request: a new server is restored from the topic,"
          + " which its brokers replicate, and each server frees the space of removed events itself";

  /** The reasons, by path. */
  private static final Map<String, String> GETS =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("/v1/events/socket", LINES),
              Map.entry("/v1/nodes", STATUS),
              Map.entry("/v1/server", STATUS),
              Map.entry("/v1/alignment", CLOCKS),
              Map.entry("/v1/admin/stats", UPKEEP),
              Map.entry("/v1/logs", PAGES),
              Map.entry("/v1/recording", PAGES),
              Map.entry("/v1/messages", PAGES),
              Map.entry("/v1/silences", PAGES),
              Map.entry("/console/<file>", PAGES),
              Map.entry("/v1/cut", PAGES),
              Map.entry("/v1/session", PAGES),
              Map.entry(TimelineEndpoint.PATH, PAGES),
              Map.entry("/", PAGES)));

  private static final Map<String, String> POSTS =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("/v1/logs", LINES),
              Map.entry("/v1/traces", LINES),
              Map.entry("/v1/admin/compact", UPKEEP),
              Map.entry("/v1/admin/backup", UPKEEP)));

  private ClusterRefusals() {}

  static List<Route> routes() {
    return Stream.<Route>concat(
            GETS.entrySet().stream()
                .map(
                    entry -> new Route.Get(entry.getKey(), Access.READ, refusal(entry.getValue()))),
            POSTS.entrySet().stream()
                .map(
                    entry ->
                        new Route.Post(
                            entry.getKey(),
                            entry.getKey().startsWith("/v1/admin/") ? Access.ADMIN : Access.WRITE,
                            ANY_TYPE,
                            refusal(entry.getValue()))))
        .toList();
  }

  private static final List<String> ANY_TYPE =
      List.of("application/json", "application/x-protobuf", "text/plain");

  private static Handler refusal(String reason) {
    return context -> {
      throw ProblemException.of(NOT_IMPLEMENTED, "A cluster does not do this", reason);
    };
  }
}
