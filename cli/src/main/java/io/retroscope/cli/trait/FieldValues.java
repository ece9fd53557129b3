// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The values of the fields of log lines, which may answer each other. Used by one thread. */
final class FieldValues {
  /** The most fields that are followed. */
  private static final int MAX_FIELDS = 40;

  /** The most values of a field that are followed. */
  private static final int MAX_VALUES = 50_000;

  private final Map<TraitVocabulary.Variable, Map<Value, Long>> seen = new LinkedHashMap<>();
  private final Set<TraitVocabulary.Variable> repeated = new HashSet<>();
  private final Set<TraitVocabulary.Variable> many = new HashSet<>();

  void line(Event event, LogLine line) {
    line.fields()
        .forEach(
            (name, value) -> {
              TraitVocabulary.Variable field = new TraitVocabulary.Variable(event.log(), name);
              if (seen.containsKey(field) || seen.size() < MAX_FIELDS) {
                add(field, value, event.hlc());
              }
            });
  }

  private void add(TraitVocabulary.Variable field, Value value, long hlc) {
    Map<Value, Long> values = seen.computeIfAbsent(field, added -> new LinkedHashMap<>());
    if (values.size() == MAX_VALUES) {
      many.add(field);
    } else if (values.putIfAbsent(value, hlc) != null) {
      repeated.add(field);
    }
  }

  /** Adds the traits at the end of a run. */
  void addTo(RunTraits traits, TraitVocabulary vocabulary) {
    List<TraitVocabulary.Variable> fields = new ArrayList<>(seen.keySet());
    fields.removeAll(many);
    for (TraitVocabulary.Variable field : fields) {
      int number = vocabulary.number(field);
      traits.measure(TraitKind.LISTED, number, 0, valuesOf(field).size(), 0);
      if (repeated.contains(field)) {
        traits.hold(TraitKind.REPEATED, number, 0, 0);
      }
      for (TraitVocabulary.Variable answer : fields) {
        if (!answer.equals(field) && answer.log().equals(field.log())) {
          addAnswers(field, answer, fields, traits, vocabulary);
        }
      }
    }
  }

  /** Adds how the values of a field are answered, without an excuse and with each. */
  private void addAnswers(
      TraitVocabulary.Variable field,
      TraitVocabulary.Variable answer,
      List<TraitVocabulary.Variable> fields,
      RunTraits traits,
      TraitVocabulary vocabulary) {
    long longest = -1;
    List<Map.Entry<Value, Long>> unanswered = new ArrayList<>();
    for (Map.Entry<Value, Long> asked : valuesOf(field).entrySet()) {
      Long answered = valuesOf(answer).get(asked.getKey());
      if (answered != null && answered >= asked.getValue()) {
        longest = Math.max(longest, micros(asked.getValue(), answered));
      } else {
        unanswered.add(asked);
      }
    }
    for (TraitVocabulary.Variable excuse : fields) {
      if (excuse.equals(field) || !excuse.log().equals(field.log())) {
        continue;
      }
      int first = vocabulary.number(field);
      int second = vocabulary.number(new TraitVocabulary.Answers(answer, excuse));
      // The values are in the order of their stamps.
      for (Map.Entry<Value, Long> asked : unanswered) {
        if (excuse.equals(answer) || !valuesOf(excuse).containsKey(asked.getKey())) {
          traits.hold(TraitKind.UNANSWERED, first, second, asked.getValue());
          break;
        }
      }
      if (longest >= 0) {
        traits.measure(TraitKind.ANSWERED, first, second, (double) longest, 0);
      }
    }
  }

  private Map<Value, Long> valuesOf(TraitVocabulary.Variable field) {
    return seen.getOrDefault(field, Map.of());
  }

  private static long micros(long from, long to) {
    return HlcTimestamp.micros(to) - HlcTimestamp.micros(from);
  }
}
