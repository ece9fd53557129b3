// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.json.JsonText;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.server.store.QuarantineAccess;
import io.retroscope.server.store.QuarantineAccess.QuarantinedEvents;
import io.retroscope.server.store.QuarantineSelection;
import io.retroscope.server.store.Receipt;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * {@code /v1/admin/quarantine}: events in quarantine, whose stamps are too far in the future. An
 * operator can list, store or delete them. Thread-safe.
 */
final class QuarantineEndpoint {
  /** The media types of bodies, which select events. */
  private static final List<String> MEDIA_TYPES = List.of("application/json");

  private static final Set<String> FIELDS = Set.of("nodes", "from", "until");

  private final QuarantineAccess quarantine;

  QuarantineEndpoint(QuarantineAccess quarantine) {
    this.quarantine = quarantine;
  }

  List<Route> routes() {
    String path = "/v1/admin/quarantine";
    return List.of(
        new Route.Get(path, Access.ADMIN, this::list),
        new Route.Post(path + "/release", Access.ADMIN, MEDIA_TYPES, this::release),
        new Route.Post(path + "/purge", Access.ADMIN, MEDIA_TYPES, this::purge));
  }

  private void list(Context context) {
    Map<String, QuarantinedEvents> nodes = new TreeMap<>();
    for (QuarantinedEvents part : quarantine.quarantined()) {
      nodes.merge(part.node(), part, QuarantineEndpoint::join);
    }
    answer(
        context,
        out -> {
          out.writeArrayPropertyStart("nodes");
          nodes.values().forEach(own -> write(own, out));
          out.writeEndArray();
        });
  }

  private static void write(QuarantinedEvents own, JsonGenerator out) {
    out.writeStartObject();
    out.writeStringProperty("node", own.node());
    out.writeNumberProperty("events", own.eventCount());
    out.writeStringProperty("firstHlc", HlcTimestamp.text(own.firstHlc()));
    out.writeStringProperty("lastHlc", HlcTimestamp.text(own.lastHlc()));
    out.writeEndObject();
  }

  private static void answer(Context context, Consumer<JsonGenerator> fields) {
    context.contentType("application/json").result(JsonText.object(fields));
  }

  private static QuarantinedEvents join(QuarantinedEvents a, QuarantinedEvents b) {
    return new QuarantinedEvents(
        a.node(),
        a.eventCount() + b.eventCount(),
        Math.min(a.firstHlc(), b.firstHlc()),
        Math.max(a.lastHlc(), b.lastHlc()));
  }

  private void release(Context context) {
    Receipt receipt = quarantine.releaseQuarantined(selection(body(context)));
    answer(
        context,
        out -> {
          out.writeNumberProperty("released", receipt.accepted());
          out.writeNumberProperty("duplicates", receipt.duplicates());
          out.writeNumberProperty("contradicting", receipt.quarantined());
        });
  }

  private void purge(Context context) {
    Receipt receipt = quarantine.purgeQuarantined(selection(body(context)));
    answer(context, out -> out.writeNumberProperty("purged", receipt.accepted()));
  }

  private static String body(Context context) {
    return new String(RequestBody.of(context).bytes(), StandardCharsets.UTF_8);
  }

  private static QuarantineSelection selection(String body) {
    try {
      if (JsonValues.parse(body) instanceof StructValue object) {
        Map<String, Value> fields = object.fields();
        if (FIELDS.containsAll(fields.keySet())) {
          return new QuarantineSelection(
              nodes(fields.get("nodes")),
              new HlcRange(
                  stamp(fields.getOrDefault("from", Value.of("")), HlcTimestamp.MIN_PACKED),
                  stamp(fields.getOrDefault("until", Value.of("")), HlcTimestamp.MAX_PACKED)));
        }
      }
    } catch (IllegalArgumentException e) {
      throw refused(String.valueOf(e.getMessage()));
    }
    throw refused("the body must be an object with some of the fields nodes, from, until");
  }

  private static Set<String> nodes(@Nullable Value nodes) {
    Set<String> names = new HashSet<>();
    if (nodes instanceof SetValue set) {
      for (Value name : set.elements()) {
        names.add(text(name));
      }
    } else if (nodes != null) {
      throw refused("nodes: must be an array of names");
    }
    return names;
  }

  private static long stamp(Value stamp, long absent) {
    String text = text(stamp);
    return text.isEmpty() ? absent : HlcTimestamp.parse(text);
  }

  private static String text(Value value) {
    if (value instanceof StringValue text) {
      return text.value();
    }
    throw refused("nodes, from and until must be strings");
  }

  private static ProblemException refused(String reason) {
    return ProblemException.of(400, "The selection was refused", reason);
  }
}
