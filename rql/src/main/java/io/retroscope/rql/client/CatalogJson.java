// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.client;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.json.JsonValues;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** A reader of the server's catalog from {@code /v1/logs} and {@code /v1/nodes}. */
final class CatalogJson {
  private CatalogJson() {}

  /**
   * Returns the catalog of two documents, each a list of objects with a {@code name}.
   *
   * @throws IOException if the documents have a different form
   */
  static Catalog read(String logs, String nodes) throws IOException {
    try {
      return catalog(logs, nodes);
    } catch (IllegalArgumentException e) {
      throw ServerConnection.unreadable(e);
    }
  }

  private static Catalog catalog(String logs, String nodes) throws IOException {
    return new Catalog(
        objects(logs, "logs").stream()
            .map(CatalogJson::log)
            .sorted(Comparator.comparing(LogDescription::name))
            .toList(),
        objects(nodes, "nodes").stream()
            .map(CatalogJson::node)
            .sorted(Comparator.comparing(NodeDescription::name, NaturalOrder.INSTANCE))
            .toList());
  }

  private static LogDescription log(StructValue log) {
    return new LogDescription(text(log, "name"), strings(log, "variables"), count(log));
  }

  private static NodeDescription node(StructValue node) {
    return new NodeDescription(
        text(node, "name"),
        count(node),
        stamp(node, "firstHlc", HlcTimestamp.MAX_PACKED),
        stamp(node, "lastHlc", HlcTimestamp.MIN_PACKED));
  }

  private static List<StructValue> objects(String json, String name) throws IOException {
    Value document = JsonValues.parse(json);
    if (document instanceof StructValue object && object.fields().containsKey(name)) {
      document = object.fields().get(name);
    }
    if (!(document instanceof SetValue list)) {
      throw new IOException("the server's list of " + name + " is none");
    }
    List<StructValue> objects = new ArrayList<>();
    for (Value element : list.elements()) {
      if (element instanceof StructValue object && !text(object, "name").isEmpty()) {
        objects.add(object);
      }
    }
    return objects;
  }

  private static String text(StructValue object, String name) {
    return object.fields().get(name) instanceof StringValue text ? text.value() : "";
  }

  private static List<String> strings(StructValue object, String name) {
    Collection<Value> elements =
        object.fields().get(name) instanceof SetValue list ? list.elements() : List.of();
    return elements.stream()
        .filter(StringValue.class::isInstance)
        .map(element -> ((StringValue) element).value())
        .toList();
  }

  private static long count(StructValue object) {
    return object.fields().get("events") instanceof LongValue count ? count.value() : 0;
  }

  private static long stamp(StructValue object, String name, long fallback) {
    return object.fields().get(name) instanceof StringValue text
        ? HlcTimestamp.parse(text.value())
        : fallback;
  }
}
