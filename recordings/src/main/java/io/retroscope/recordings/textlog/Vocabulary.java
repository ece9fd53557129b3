// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import io.retroscope.event.Value;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The types of the variables in messages, the names of the nodes, and the expressions that matched,
 * which are learned in a first pass over all files and used in a second one. Used by one thread.
 */
public final class Vocabulary {
  private final Map<String, TextType> types = new HashMap<>();
  private final Set<RequiredText> matched = new HashSet<>();
  private Set<String> nodes = new HashSet<>();
  private boolean isLearning;

  /** A vocabulary that learns. */
  public static Vocabulary learning() {
    Vocabulary vocabulary = new Vocabulary();
    vocabulary.isLearning = true;
    return vocabulary;
  }

  /** Ends the first pass. */
  public void learned(Set<String> allNodes) {
    isLearning = false;
    nodes = Set.copyOf(allNodes);
  }

  /** A sentence for each expression that matched no line in the first pass. */
  public List<String> unmatched(MessageRules rules) {
    return Stream.of(
            unmatched("--set", rules.set()),
            unmatched("--send", rules.send()),
            unmatched("--receive", rules.receive()))
        .flatMap(sentences -> sentences)
        .toList();
  }

  private Stream<String> unmatched(String option, List<RequiredText> rules) {
    return rules.stream()
        .filter(rule -> !matched.contains(rule))
        .map(rule -> "%s '%s' matched none of the lines".formatted(option, rule.pattern()));
  }

  /** Takes an expression that matches a line. */
  void matched(RequiredText rule) {
    if (isLearning) {
      matched.add(rule);
    }
  }

  /** The value of a variable's text, whose type is the same for all texts of the variable. */
  Value value(String variable, String text) {
    if (isLearning) {
      types.merge(variable, TextType.of(text), TextType::wider);
      return Value.NullValue.NULL;
    }
    return types.getOrDefault(variable, TextType.STRING).value(text);
  }

  /** The node that a message names as its other end; empty if no node has this name. */
  String peer(String name) {
    return isLearning || nodes.contains(name) ? name : "";
  }
}
