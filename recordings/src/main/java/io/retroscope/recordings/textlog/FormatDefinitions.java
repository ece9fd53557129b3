// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A reader of definitions of formats, in the JSON form of lnav, with the field {@value #OURS} for
 * what the messages say about nodes.
 */
final class FormatDefinitions {
  /** The field of a definition that lnav does not have. */
  static final String OURS = "retroscope";

  /** The most characters of one file of definitions. */
  static final int MAX_LENGTH = 1 << 20;

  private static final int MAX_FORMATS = 1_000;
  private static final int MAX_PATTERNS = 100;

  private static final JsonMapper JSON = new JsonMapper();

  private FormatDefinitions() {}

  /**
   * Reads definitions.
   *
   * @param file its name, for errors
   * @throws FormatException if it is no JSON object, or a definition is invalid
   */
  static List<LineFormat> read(String file, String text) {
    JsonNode root;
    try {
      root = JSON.readTree(text);
    } catch (JacksonException e) {
      throw new FormatException(file + ": is not valid JSON: " + e.getOriginalMessage(), e);
    }
    if (root == null || !root.isObject() || root.size() > MAX_FORMATS) {
      throw new FormatException(
          file + ": a file of formats is one JSON object with a field for each format");
    }
    List<LineFormat> formats = new ArrayList<>();
    for (Map.Entry<String, JsonNode> field : root.properties()) {
      if (!field.getKey().startsWith("$")) {
        try {
          formats.add(format(field.getKey(), field.getValue()));
        } catch (IllegalArgumentException e) {
          throw new FormatException(
              "%s: format \"%s\": %s".formatted(file, field.getKey(), e.getMessage()), e);
        }
      }
    }
    return formats;
  }

  private static LineFormat format(String name, JsonNode node) {
    if (!node.isObject()) {
      throw new IllegalArgumentException("a definition is a JSON object");
    }
    boolean isJson = node.path("json").asBoolean(false) || is(node, "file-type", "json");
    return isJson ? json(name, node) : defined(name, node);
  }

  private static boolean is(JsonNode node, String field, String value) {
    return text(node, field).filter(value::equals).isPresent();
  }

  private static LineFormat json(String name, JsonNode node) {
    String body = text(node, "body-field").orElse("body");
    return new JsonFormat(
        name,
        title(name, node),
        samples(node),
        new JsonFormat.Fields(
            List.of(text(node, "timestamp-field").orElse("timestamp")),
            List.of(text(node, "level-field").orElse(Entry.LEVEL)),
            List.of(body, "msg", "message"),
            nodeField(node),
            divisor(node)),
        rules(node));
  }

  private static LineFormat defined(String name, JsonNode node) {
    JsonNode regex = node.path("regex");
    if (!regex.isObject() || regex.isEmpty() || regex.size() > MAX_PATTERNS) {
      throw new IllegalArgumentException(
          "needs \"regex\": {\"NAME\": {\"pattern\": \"...\"}}, with 1 to %d patterns"
              .formatted(MAX_PATTERNS));
    }
    List<String> expressions = new ArrayList<>();
    for (JsonNode pattern : regex) {
      expressions.add(
          text(pattern, "pattern")
              .orElseThrow(() -> new IllegalArgumentException("a regex has no \"pattern\"")));
    }
    return new DefinedFormat(
        new DefinedFormat.Definition(
            name,
            title(name, node),
            samples(node),
            text(node, "file-pattern").map(LinearPattern::new),
            text(node, "timestamp-field").orElse("timestamp"),
            texts(node.path("timestamp-format")).stream().map(TimeFormat::new).toList(),
            text(node, "level-field").orElse(Entry.LEVEL),
            DefinedFormat.levels(levels(node)),
            text(node, "body-field").orElse("body"),
            nodeField(node),
            kinds(node),
            divisor(node),
            sinceStart(node),
            rules(node)),
        expressions);
  }

  private static String title(String name, JsonNode node) {
    return text(node, "title").or(() -> text(node, "description")).orElse(name);
  }

  private static Optional<String> text(JsonNode node, String field) {
    JsonNode found = node.path(field);
    if (found.isMissingNode() || found.isNull()) {
      return Optional.empty();
    }
    if (!found.isString()) {
      throw new IllegalArgumentException("\"%s\" is no text".formatted(field));
    }
    return Optional.of(found.stringValue());
  }

  private static List<String> texts(JsonNode node) {
    if (node.isString()) {
      return List.of(node.stringValue());
    }
    List<String> texts = new ArrayList<>();
    for (JsonNode text : node) {
      if (!text.isString()) {
        throw new IllegalArgumentException("a list has something that is no text");
      }
      texts.add(text.stringValue());
    }
    return texts;
  }

  private static List<String> samples(JsonNode node) {
    List<String> lines = new ArrayList<>();
    for (JsonNode sample : node.path("sample")) {
      text(sample, "line").ifPresent(lines::add);
    }
    return lines;
  }

  private static Map<String, String> levels(JsonNode node) {
    Map<String, String> levels = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> level : node.path("level").properties()) {
      JsonNode value = level.getValue();
      levels.put(level.getKey(), value.isString() ? value.stringValue() : value.toString());
    }
    return levels;
  }

  private static Map<String, String> kinds(JsonNode node) {
    Map<String, String> kinds = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> value : node.path("value").properties()) {
      kinds.put(value.getKey(), text(value.getValue(), "kind").orElse("string"));
    }
    return kinds;
  }

  private static double divisor(JsonNode node) {
    double divisor = node.path("timestamp-divisor").asDouble(0);
    if (!(divisor >= 0) || divisor > 1e12) {
      throw new IllegalArgumentException("\"timestamp-divisor\" is at most 1e12 and not negative");
    }
    return divisor;
  }

  private static long sinceStart(JsonNode node) {
    JsonNode units = node.path(OURS).path("since-start");
    if (units.isMissingNode()) {
      return 0;
    }
    long count = units.asLong(0);
    if (count < 1 || count > 1_000_000) {
      throw new IllegalArgumentException(
          "\"since-start\" is the number of units in a second, 1 to 1000000");
    }
    return count;
  }

  private static Optional<String> nodeField(JsonNode node) {
    return text(node.path(OURS), "node");
  }

  private static MessageRules rules(JsonNode node) {
    JsonNode ours = node.path(OURS);
    return MessageRules.of(
        texts(ours.path("set")), texts(ours.path("send")), texts(ours.path("receive")));
  }
}
