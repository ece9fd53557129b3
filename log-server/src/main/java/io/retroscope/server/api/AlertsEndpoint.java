// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.engine.statement.AlertRefusedException;
import io.retroscope.rql.engine.statement.AlertRegister;
import io.retroscope.rql.json.JsonText;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.server.alert.AlertService;
import io.retroscope.server.alert.AlertsElsewhereException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import tools.jackson.core.JsonGenerator;

/**
 * {@code /v1/alerts}: the state and the history of alerts; they can be acknowledged, muted, and
 * their receivers tested. Thread-safe.
 */
final class AlertsEndpoint {
  static final String PATH = "/v1/alerts";
  private static final List<String> MEDIA_TYPES = List.of("application/json");
  private static final int DEFAULT_COUNT = 100;

  private final Supplier<AlertService> alerts;

  /**
   * @param alerts throws {@link AlertsElsewhereException} if they are evaluated elsewhere, and
   *     {@link AlertRefusedException} if nowhere now
   */
  AlertsEndpoint(Supplier<AlertService> alerts) {
    this.alerts = alerts;
  }

  List<Route> routes() {
    return List.of(
        new Route.Get(PATH, Access.READ, this::list),
        new Route.Get(PATH + "/history", Access.READ, this::history),
        new Route.Post(PATH + "/acknowledge", Access.ALERTS, MEDIA_TYPES, this::acknowledge),
        new Route.Post(PATH + "/mute", Access.ALERTS, MEDIA_TYPES, this::mute),
        new Route.Post(PATH + "/test", Access.ALERTS, MEDIA_TYPES, this::test));
  }

  private void list(Context context) {
    List<String> rows =
        states().stream()
            .map(
                row -> {
                  Map<String, Value> fields = new LinkedHashMap<>();
                  for (int i = 0; i < row.size(); i++) {
                    fields.put(AlertRegister.COLUMNS.get(i), row.get(i));
                  }
                  return JsonValues.text(new StructValue(fields));
                })
            .toList();
    answer(context, "alerts", rows);
  }

  private List<List<Value>> states() {
    try {
      return alerts.get().states();
    } catch (AlertRefusedException e) {
      throw refused(e);
    }
  }

  private void history(Context context) {
    Optional<String> alert = Optional.ofNullable(context.queryParam("alert"));
    String count = context.queryParam("count");
    try {
      List<StructValue> pages =
          alerts
              .get()
              .history(alert, count == null ? DEFAULT_COUNT : Integer.parseUnsignedInt(count));
      answer(context, "episodes", pages.stream().map(JsonValues::text).toList());
    } catch (NumberFormatException e) {
      throw refused("count must be a number, not " + count);
    } catch (AlertRefusedException e) {
      throw refused(e);
    }
  }

  private void acknowledge(Context context) {
    Map<String, Value> body = body(context);
    try {
      List<String> episodes = acknowledge(body, Gate.caller(context).name());
      answer(
          context, "acknowledged", episodes.stream().map(Value::of).map(JsonValues::text).toList());
    } catch (AlertRefusedException e) {
      throw refused(e);
    }
  }

  private List<String> acknowledge(Map<String, Value> body, String by) {
    Value episode = body.get("episode");
    if (episode != null) {
      String only = text("episode", episode);
      return alerts.get().acknowledgeEpisode(alert(body), only, by) ? List.of(only) : List.of();
    }
    Optional<String> item = Optional.ofNullable(body.get("item")).map(value -> text("item", value));
    return alerts.get().acknowledge(alert(body), item, by);
  }

  private void mute(Context context) {
    Map<String, Value> body = body(context);
    if (!(body.get("seconds") instanceof LongValue seconds) || seconds.value() < 0) {
      throw refused("seconds must be a whole number, 0 to end it");
    }
    try {
      long until =
          alerts
              .get()
              .mute(
                  alert(body),
                  TimeUnit.SECONDS.toMicros(seconds.value()),
                  Gate.caller(context).name());
      Value time = until == 0 ? NullValue.NULL : Value.of(HlcTimestamp.isoMicros(until));
      answer(context, out -> out.writeName("mutedUntil").writeRawValue(JsonValues.text(time)));
    } catch (AlertRefusedException e) {
      throw refused(e);
    }
  }

  private void test(Context context) throws InterruptedException {
    try {
      Map<String, Value> results = new LinkedHashMap<>();
      alerts
          .get()
          .test(alert(body(context)))
          .forEach((receiver, wrong) -> results.put(receiver, Value.of(wrong)));
      String receivers = JsonValues.text(new StructValue(results));
      answer(context, out -> out.writeName("receivers").writeRawValue(receivers));
    } catch (AlertRefusedException e) {
      throw refused(e);
    }
  }

  private static void answer(Context context, String name, List<String> elements) {
    answer(
        context,
        out -> {
          out.writeArrayPropertyStart(name);
          elements.forEach(out::writeRawValue);
          out.writeEndArray();
        });
  }

  private static void answer(Context context, Consumer<JsonGenerator> fields) {
    context.contentType("application/json").result(JsonText.utf8Object(fields));
  }

  private static Map<String, Value> body(Context context) {
    try {
      String body = new String(RequestBody.of(context).bytes(), StandardCharsets.UTF_8);
      if (JsonValues.parse(body) instanceof StructValue object) {
        return object.fields();
      }
    } catch (IllegalArgumentException e) {
      // Handled below, as for other invalid bodies.
    }
    throw refused("the body must be an object such as {\"alert\":\"one_leader\"}");
  }

  private static String alert(Map<String, Value> body) {
    Value alert = body.get("alert");
    if (alert == null) {
      throw refused("the body needs the field alert");
    }
    return text("alert", alert);
  }

  private static String text(String field, Value value) {
    if (value instanceof StringValue text) {
      return text.value();
    }
    throw refused(field + " must be a string");
  }

  private static ProblemException refused(AlertRefusedException e) {
    return refused(e.getMessage() + ": " + e.advice());
  }

  private static ProblemException refused(String reason) {
    return ProblemException.of(400, "The request about an alert was refused", reason);
  }
}
