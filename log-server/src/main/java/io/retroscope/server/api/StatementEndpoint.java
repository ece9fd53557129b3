// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.console.StarterQueries;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.analysis.RqlFunction;
import io.retroscope.rql.completion.Offer;
import io.retroscope.rql.completion.StatementCompleter;
import io.retroscope.rql.completion.TypedStatement;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.rql.json.ProblemJson;
import io.retroscope.rql.parser.RqlToken;
import io.retroscope.sonify.bank.Patch;
import io.retroscope.sonify.bank.PatchBank;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/**
 * The help for an editor of statements: {@code POST /v1/check-statement}, {@code /v1/complete},
 * {@code GET /v1/language} and {@code /v1/examples}. Thread-safe.
 */
final class StatementEndpoint {
  private static final List<String> JSON = List.of("application/json");

  /** The longest text that is checked or completed while it is typed. */
  private static final int MAX_CHARACTERS = 65_536;

  private static final int MAX_OFFERS = 200;

  private final QueryEngine engine;
  private final EventSource source;
  private final JsonMapper json = JsonMapper.builder().build();

  StatementEndpoint(QueryEngine engine, EventSource source) {
    this.engine = engine;
    this.source = source;
  }

  List<Route> routes() {
    return List.of(
        new Route.Post("/v1/check-statement", Access.READ, StatementBody.MEDIA_TYPES, this::check),
        new Route.Post("/v1/complete", Access.READ, JSON, this::complete),
        new Route.Get("/v1/language", Access.READ, this::language),
        new Route.Get("/v1/examples", Access.READ, this::examples));
  }

  private void check(Context context) {
    String statement = StatementBody.read(context);
    checkLength(statement);
    Map<String, Object> answer = new LinkedHashMap<>();
    try {
      PreparedQuery query = engine.check(statement);
      answer.put("diagnostics", List.of());
      answer.put("text", "");
      answer.put("stream", query.isStream());
      answer.put("needs", query.needs().name().toLowerCase(Locale.ROOT));
    } catch (RqlException e) {
      JsonAnswer.send(context, ProblemJson.diagnostics(e).getBytes(StandardCharsets.UTF_8));
      return;
    }
    answer(context, answer);
  }

  private void complete(Context context) {
    Map<String, Value> body = body(context);
    if (!(body.get("query") instanceof StringValue query)
        || !(body.get("cursor") instanceof LongValue cursor)
        || cursor.value() < 0
        || cursor.value() > query.value().length()) {
      throw refused();
    }
    checkLength(query.value());
    Catalog catalog = catalog();
    TypedStatement typed = TypedStatement.of(query.value(), (int) cursor.value(), catalog::names);
    List<Offer> offers =
        Offer.matching(
            typed.word(), new StatementCompleter(() -> catalog, patches()).offers(typed));
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("start", typed.wordStart());
    answer.put("end", typed.cursor());
    answer.put("offers", offers.stream().limit(MAX_OFFERS).toList());
    answer.put("more", Math.max(0, offers.size() - MAX_OFFERS));
    answer(context, answer);
  }

  private void language(Context context) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("keywords", RqlToken.words());
    answer.put("reserved", RqlToken.reservedWords());
    answer.put(
        "functions",
        RqlFunction.all().stream()
            .map(RqlFunction::signature)
            .map(
                signature ->
                    Map.of(
                        "name", signature.name(),
                        "signature", signature.text(),
                        "description", signature.description()))
            .toList());
    answer.put("patches", patches());
    answer(context, answer);
  }

  private void examples(Context context) {
    try (EventSource.View view = source.open()) {
      answer(context, Map.of("examples", StarterQueries.of(view)));
    }
  }

  private static List<String> patches() {
    return PatchBank.standard().patches().stream().map(Patch::name).toList();
  }

  private Catalog catalog() {
    try (EventSource.View view = source.open()) {
      return Catalog.of(view);
    }
  }

  private static void checkLength(String statement) {
    if (statement.length() > MAX_CHARACTERS) {
      throw ProblemException.of(
          413,
          "The statement is too long",
          "a text of up to %,d characters is checked while it is typed; this one has %,d"
              .formatted(MAX_CHARACTERS, statement.length()));
    }
  }

  private static Map<String, Value> body(Context context) {
    try {
      String text = new String(RequestBody.of(context).bytes(), StandardCharsets.UTF_8);
      if (JsonValues.parse(text) instanceof StructValue object) {
        return object.fields();
      }
    } catch (IllegalArgumentException e) {
      // Handled below, as for other invalid bodies.
    }
    throw refused();
  }

  private static ProblemException refused() {
    return ProblemException.of(
        400,
        "The text was refused",
        "the body must be like {\"query\":\"SELECT r\",\"cursor\":8}, with a cursor within the"
            + " text");
  }

  private void answer(Context context, Map<String, Object> content) {
    JsonAnswer.send(context, json.writeValueAsBytes(content));
  }
}
