// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Handler;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The routes of a single server that a server of a cluster refuses, with a sentence each. */
final class ClusterRefusals {
  private static final int NOT_IMPLEMENTED = 501;
  private static final String OTLP =
      "a cluster accepts no OTLP, because events without stamps are placed where a store has no"
          + " others: send them to a single server";
  private static final String UPKEEP =
      "a cluster has no backups or compaction on request: a new server is restored from the topic,"
          + " which its brokers replicate, and each server frees the space of removed events itself";

  /** The reasons, by path. */
  private static final Map<String, String> GETS =
      new TreeMap<>(
          Map.of(
              "/v1/admin/stats",
              "a cluster has no totals of one store: see /v1/server and SHOW NODES"));

  private static final Map<String, String> POSTS =
      new TreeMap<>(
          Map.of(
              "/v1/logs", OTLP,
              "/v1/traces", OTLP,
              "/v1/admin/compact", UPKEEP,
              "/v1/admin/backup", UPKEEP));

  private static final List<String> TYPES = List.of("application/json", "application/x-protobuf");

  private ClusterRefusals() {}

  /** Adds them, in the place of routes with the same names. */
  static void addTo(List<Route> routes) {
    GETS.forEach(
        (path, reason) -> {
          Access role = isAdministration(path) ? Access.ADMIN : Access.READ;
          add(new Route.Get(path, role, refusal(reason)), routes);
        });
    POSTS.forEach(
        (path, reason) -> {
          Access role = isAdministration(path) ? Access.ADMIN : Access.WRITE;
          add(new Route.Post(path, role, TYPES, refusal(reason)), routes);
        });
  }

  private static boolean isAdministration(String path) {
    return path.startsWith("/v1/admin/");
  }

  private static void add(Route refused, List<Route> routes) {
    routes.removeIf(route -> route.name().equals(refused.name()));
    routes.add(refused);
  }

  private static Handler refusal(String reason) {
    return context -> {
      throw ProblemException.of(NOT_IMPLEMENTED, "A cluster does not do this", reason);
    };
  }
}
