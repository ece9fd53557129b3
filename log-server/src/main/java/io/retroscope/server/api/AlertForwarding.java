// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.retroscope.server.alert.AlertsElsewhereException;
import io.retroscope.server.cluster.Cluster;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;

/**
 * The way of requests about alerts to the server that evaluates them, which checks the caller's own
 * token once more. Thread-safe.
 */
final class AlertForwarding {
  /** The header of requests that are forwarded, and never once more. */
  static final String MARK = "Retroscope-Forwarded";

  private static final List<String> HEADERS = List.of("Authorization", "Content-Type", "Accept");

  private final Cluster cluster;

  AlertForwarding(Cluster cluster) {
    this.cluster = cluster;
  }

  /** The same route, whose requests are forwarded if the alerts are evaluated elsewhere. */
  Route of(Route route) {
    if (route instanceof Route.Get get) {
      return new Route.Get(get.path(), get.access(), forwarding(get.handler()));
    }
    return route instanceof Route.Post post
        ? new Route.Post(post.path(), post.access(), post.mediaTypes(), forwarding(post.handler()))
        : route;
  }

  private Handler forwarding(Handler handler) {
    return context -> {
      try {
        handler.handle(context);
      } catch (AlertsElsewhereException e) {
        forward(context, e);
      }
    };
  }

  private void forward(Context context, AlertsElsewhereException elsewhere)
      throws InterruptedException {
    if (context.header(MARK) != null) {
      throw unavailable(elsewhere.getMessage() + ", and were here before");
    }
    try {
      Cluster.Passed answer = cluster.pass(elsewhere.server(), path(context), request(context));
      context.status(answer.status()).contentType(answer.mediaType()).result(answer.body());
    } catch (IOException e) {
      throw unavailable(elsewhere.getMessage() + ", which does not answer: " + e.getMessage());
    }
  }

  private static ProblemException unavailable(String reason) {
    return ProblemException.of(
        503, "The alerts are not available", reason + "; try again in some seconds");
  }

  private static String path(Context context) {
    String query = context.queryString();
    return context.path() + (query == null ? "" : "?" + query);
  }

  private static HttpRequest.Builder request(Context context) {
    HttpRequest.Builder request = HttpRequest.newBuilder().header(MARK, "true");
    for (String name : HEADERS) {
      String value = context.header(name);
      if (value != null) {
        request.header(name, value);
      }
    }
    return context.req().getMethod().equals("POST")
        ? request.POST(BodyPublishers.ofByteArray(RequestBody.of(context).bytes()))
        : request.GET();
  }
}
