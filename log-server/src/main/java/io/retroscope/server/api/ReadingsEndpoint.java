// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.server.cluster.Cluster;
import io.retroscope.server.cluster.Readings;
import io.retroscope.server.cluster.Slices;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * {@code POST /v1/cluster/readings}, {@code /v1/cluster/readings/ID}, {@code /v1/cluster/slices},
 * {@code /v1/cluster/news} and {@code /v1/cluster/quarantine}: the requests of the other servers of
 * a cluster, which have its token. Thread-safe.
 */
final class ReadingsEndpoint {
  private static final List<String> MEDIA_TYPES = List.of(Readings.JSON);
  private static final String TITLE = "The reading was refused";

  private final Readings readings;
  private final Slices slices;
  private final QueryEngine engine;

  /**
   * The requests to a server.
   *
   * @param engine walks the slices
   */
  ReadingsEndpoint(Cluster cluster, QueryEngine engine) {
    this.readings = cluster.readings();
    this.slices = cluster.slices();
    this.engine = engine;
  }

  /** The gate admits all requests, because the cluster's token is none of a user. */
  List<Route> routes() {
    return List.of(
        new Route.Post(Readings.NEWS_PATH, Access.OPEN, MEDIA_TYPES, this::news),
        new Route.Post(Slices.PATH, Access.OPEN, MEDIA_TYPES, this::slice),
        new Route.Post(Readings.QUARANTINE_PATH, Access.OPEN, MEDIA_TYPES, this::quarantine),
        new Route.Post(Readings.PATH, Access.OPEN, MEDIA_TYPES, this::open),
        new Route.Post(Readings.PATH + "/{id}", Access.OPEN, MEDIA_TYPES, this::answer));
  }

  private void open(Context context) throws InterruptedException {
    answer(context, readings::open);
  }

  private void quarantine(Context context) throws InterruptedException {
    answer(context, readings::quarantine);
  }

  /** Answers a request with JSON. */
  private interface Reply {
    byte[] to(byte[] request) throws Readings.RefusedException, InterruptedException;
  }

  private void answer(Context context, Reply reply) throws InterruptedException {
    admit(context);
    try {
      JsonAnswer.send(context, reply.to(RequestBody.of(context).bytes()));
    } catch (Readings.RefusedException e) {
      throw refused(e);
    }
  }

  private void news(Context context) throws InterruptedException {
    answer(context, readings::news);
  }

  private void answer(Context context) throws IOException {
    admit(context);
    Readings.Answer answer;
    try {
      answer = readings.answer(context.pathParam("id"), RequestBody.of(context).bytes());
    } catch (Readings.RefusedException e) {
      throw refused(e);
    }
    context.res().setContentType(answer.mediaType());
    answer.writeTo(context.res().getOutputStream());
  }

  private void slice(Context context) throws IOException {
    admit(context);
    Slices.Walk begun;
    try {
      begun = slices.begin(RequestBody.of(context).bytes(), engine);
    } catch (Readings.RefusedException e) {
      throw refused(e);
    }
    try (Slices.Walk walk = begun) {
      context.res().setContentType(Slices.MEDIA_TYPE);
      walk.run(context.res().getOutputStream());
    }
  }

  private void admit(Context context) {
    try {
      readings.admit(header(context, "Authorization"), header(context, Readings.VERSION_HEADER));
    } catch (Readings.RefusedException e) {
      throw refused(e);
    }
  }

  private static String header(Context context, String name) {
    return Optional.ofNullable(context.header(name)).orElse("");
  }

  private static ProblemException refused(Readings.RefusedException e) {
    return ProblemException.of(e.status(), TITLE, String.valueOf(e.getMessage()));
  }
}
