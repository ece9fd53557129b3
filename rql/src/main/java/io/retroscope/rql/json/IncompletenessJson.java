// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.cut.EventSource.Overlap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.Incompleteness.Extent;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/**
 * Reasons why events are incomplete, as JSON objects: in lines of events, in the summaries of files
 * of sealed blocks, and in verdicts.
 */
public final class IncompletenessJson {
  /** The fields of all kinds. */
  static final Set<String> FIELDS =
      Set.of(
          "kind",
          "sentence",
          "nodes",
          "logs",
          "from",
          "until",
          "count",
          "start",
          "of",
          "sender",
          "receiver");

  private IncompletenessJson() {}

  /** Returns a reason as one object. */
  public static StructValue struct(Incompleteness reason) {
    Map<String, Value> fields = new LinkedHashMap<>();
    fields.put("kind", Value.of(reason.kind()));
    fields.put("sentence", Value.of(reason.sentence()));
    put(new Extent(reason.nodes(), reason.range()), fields);
    reason.accept(new Details(fields));
    return new StructValue(fields);
  }

  /** Returns a reason as the text of one object. */
  public static String text(Incompleteness reason) {
    return JsonValues.text(struct(reason));
  }

  private static void put(String name, Collection<String> texts, Map<String, Value> fields) {
    if (!texts.isEmpty()) {
      fields.put(name, Value.setOf(texts.stream().map(Value::of).toArray(Value[]::new)));
    }
  }

  private static void put(Extent extent, Map<String, Value> fields) {
    put("nodes", extent.nodes(), fields);
    put(extent.range(), fields);
  }

  private static void put(HlcRange range, Map<String, Value> fields) {
    if (range.from() > HlcTimestamp.MIN_PACKED) {
      fields.put("from", Value.of(HlcTimestamp.text(range.from())));
    }
    if (range.to() < HlcTimestamp.MAX_PACKED) {
      fields.put("until", Value.of(HlcTimestamp.text(range.to())));
    }
  }

  /**
   * Returns the reason of an object's text.
   *
   * @throws IllegalArgumentException if it has none
   */
  public static Incompleteness read(String text) {
    try (JsonParser in = JsonValues.JSON.createParser(ObjectReadContext.empty(), text)) {
      if (in.nextToken() != JsonToken.START_OBJECT) {
        throw new IllegalArgumentException("not an object: " + JsonValues.abbreviate(text));
      }
      return of(JsonValues.struct(in, "incomplete", 2));
    } catch (JacksonException e) {
      throw new IllegalArgumentException(JsonValues.syntaxError(e), e);
    } catch (JsonFieldException e) {
      throw new IllegalArgumentException(e.field() + " " + e.reason(), e);
    }
  }

  /**
   * Returns the reason of an object's fields. Of kinds that only a running server or a query finds,
   * the sentence remains, and the events that it concerns.
   *
   * @throws IllegalArgumentException if they have none
   */
  static Incompleteness of(Map<String, Value> fields) {
    String sentence = string(fields, "sentence");
    return switch (string(fields, "kind")) {
      case "remarked" -> new Incompleteness.Remarked(sentence, extent(fields));
      case "cut-off" -> new Incompleteness.CutOff(sentence, extent(fields));
      case "part" ->
          new Incompleteness.Part(
              strings(fields, "nodes"),
              strings(fields, "logs"),
              range(fields),
              BooleanValue.TRUE.equals(fields.get("start")),
              fields.get("of") instanceof StructValue of ? extent(of.fields()) : Extent.ALL);
      case "overlapping" ->
          new Incompleteness.Overlapping(
              new Overlap(
                  strings(fields, "nodes").stream().findFirst().orElse(""),
                  range(fields),
                  BooleanValue.TRUE.equals(fields.get("start"))));
      case "derived" ->
          new Incompleteness.Derived(range(fields), strings(fields, "nodes"), count(fields));
      case "ahead" ->
          new Incompleteness.Ahead(range(fields), strings(fields, "nodes"), count(fields));
      case "contradicting" ->
          new Incompleteness.Contradicting(
              string(fields, "sender"), string(fields, "receiver"), range(fields), count(fields));
      case "unsent" ->
          new Incompleteness.Unsent(
              strings(fields, "nodes").stream().findFirst().orElse(""), range(fields));
      case "after" ->
          new Incompleteness.AfterEnd(range(fields).from(), sentence, strings(fields, "nodes"));
      default -> new Incompleteness.Reported(sentence, extent(fields));
    };
  }

  private static Extent extent(Map<String, Value> fields) {
    return new Extent(strings(fields, "nodes"), range(fields));
  }

  private static HlcRange range(Map<String, Value> fields) {
    return new HlcRange(
        stamp(fields, "from", HlcTimestamp.MIN_PACKED),
        stamp(fields, "until", HlcTimestamp.MAX_PACKED));
  }

  private static long stamp(Map<String, Value> fields, String name, long absent) {
    return fields.containsKey(name) ? HlcTimestamp.parse(string(fields, name)) : absent;
  }

  private static String string(Map<String, Value> fields, String name) {
    if (fields.get(name) instanceof StringValue text) {
      return text.value();
    }
    throw new IllegalArgumentException("field \"" + name + "\" must be a text");
  }

  private static long count(Map<String, Value> fields) {
    if (fields.get("count") instanceof LongValue number && number.value() >= 0) {
      return number.value();
    }
    throw new IllegalArgumentException("field \"count\" must be an integer from 0");
  }

  private static Set<String> strings(Map<String, Value> fields, String name) {
    Set<String> texts = new TreeSet<>();
    if (fields.get(name) instanceof SetValue set) {
      for (Value element : set.elements()) {
        if (!(element instanceof StringValue text)) {
          throw new IllegalArgumentException("field \"" + name + "\" must have texts");
        }
        texts.add(text.value());
      }
    }
    return texts;
  }

  /** Adds the fields that only some kinds have. */
  private record Details(Map<String, Value> fields) implements Incompleteness.Visitor<Boolean> {
    private boolean count(long number) {
      fields.put("count", Value.of(number));
      return true;
    }

    @Override
    public Boolean lost(Incompleteness.Lost lost) {
      put(lost.gap().range(), fields);
      return count(lost.gap().eventCount());
    }

    @Override
    public Boolean missingBlocks(Incompleteness.MissingBlocks missing) {
      return count(missing.blockCount());
    }

    @Override
    public Boolean silent(Incompleteness.Silent silent) {
      return true;
    }

    @Override
    public Boolean unsent(Incompleteness.Unsent unsent) {
      return true;
    }

    @Override
    public Boolean quarantined(Incompleteness.Quarantined quarantined) {
      return count(quarantined.eventCount());
    }

    @Override
    public Boolean damaged(Incompleteness.Damaged damaged) {
      return true;
    }

    @Override
    public Boolean removed(Incompleteness.Removed removed) {
      put(new HlcRange(HlcTimestamp.MIN_PACKED, removed.hlc()), fields);
      return true;
    }

    @Override
    public Boolean forgotten(Incompleteness.Forgotten forgotten) {
      return true;
    }

    @Override
    public Boolean cutOff(Incompleteness.CutOff cutOff) {
      return true;
    }

    @Override
    public Boolean reported(Incompleteness.Reported reported) {
      return true;
    }

    @Override
    public Boolean remarked(Incompleteness.Remarked remarked) {
      return true;
    }

    @Override
    public Boolean part(Incompleteness.Part part) {
      List.of("nodes", "from", "until").forEach(fields::remove);
      put("nodes", part.only(), fields);
      put("logs", part.logs(), fields);
      put(part.selected(), fields);
      fields.put("start", Value.of(part.hasStart()));
      if (!part.of().equals(Extent.ALL)) {
        Map<String, Value> of = new LinkedHashMap<>();
        put(part.of(), of);
        fields.put("of", new StructValue(of));
      }
      return true;
    }

    @Override
    public Boolean overlapping(Incompleteness.Overlapping overlapping) {
      fields.put("start", Value.of(overlapping.overlap().restart()));
      return true;
    }

    @Override
    public Boolean beforeHistory(Incompleteness.BeforeHistory before) {
      return true;
    }

    @Override
    public Boolean afterEnd(Incompleteness.AfterEnd after) {
      return true;
    }

    @Override
    public Boolean derived(Incompleteness.Derived derived) {
      return count(derived.messages());
    }

    @Override
    public Boolean ahead(Incompleteness.Ahead ahead) {
      return count(ahead.aheadMicros());
    }

    @Override
    public Boolean contradicting(Incompleteness.Contradicting contradicting) {
      fields.put("sender", Value.of(contradicting.sender()));
      fields.put("receiver", Value.of(contradicting.receiver()));
      return count(contradicting.count());
    }
  }
}
