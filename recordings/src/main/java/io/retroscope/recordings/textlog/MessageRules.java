// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import com.google.re2j.Matcher;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What the messages of a log say about the state of their nodes, and about messages between nodes.
 * Immutable.
 *
 * @param set expressions whose named groups are variables
 * @param send expressions with the groups {@code id} and perhaps {@code peer}
 * @param receive the same for messages that are received
 */
public record MessageRules(
    List<RequiredText> set, List<RequiredText> send, List<RequiredText> receive) {
  /** No rules. */
  public static final MessageRules NONE = new MessageRules(List.of(), List.of(), List.of());

  static final String ID = "id";
  static final String PEER = "peer";

  /** The most rules of one kind. */
  private static final int MAX_RULES = 100;

  /** Copies the lists. */
  public MessageRules {
    set = List.copyOf(set);
    send = List.copyOf(send);
    receive = List.copyOf(receive);
  }

  /**
   * Compiles expressions.
   *
   * @throws IllegalArgumentException if one is invalid, or lacks the groups that it needs
   */
  public static MessageRules of(List<String> set, List<String> send, List<String> receive) {
    return new MessageRules(variables(set), ends("send", send), ends("receive", receive));
  }

  private static List<RequiredText> variables(List<String> expressions) {
    List<RequiredText> rules = compile("set", expressions);
    for (RequiredText rule : rules) {
      if (rule.pattern().names().stream().allMatch(String::isEmpty)) {
        throw new IllegalArgumentException(
            "\"%s\" sets nothing: a variable is a group such as (?<term>\\d+)"
                .formatted(rule.pattern()));
      }
    }
    return rules;
  }

  private static List<RequiredText> ends(String kind, List<String> expressions) {
    List<RequiredText> rules = compile(kind, expressions);
    for (RequiredText rule : rules) {
      if (!rule.pattern().hasGroup(ID)) {
        throw new IllegalArgumentException(
            "\"%s\" has no group (?<id>...), which names the message".formatted(rule.pattern()));
      }
    }
    return rules;
  }

  private static List<RequiredText> compile(String kind, List<String> expressions) {
    if (expressions.size() > MAX_RULES) {
      throw new IllegalArgumentException(
          "at most %d expressions can be given with \"%s\"".formatted(MAX_RULES, kind));
    }
    return expressions.stream().map(text -> new RequiredText(new LinearPattern(text))).toList();
  }

  /** Whether there are none. */
  public boolean isEmpty() {
    return set.isEmpty() && send.isEmpty() && receive.isEmpty();
  }

  /** These rules and others. */
  MessageRules and(MessageRules others) {
    return new MessageRules(
        joined(set, others.set), joined(send, others.send), joined(receive, others.receive));
  }

  private static List<RequiredText> joined(List<RequiredText> a, List<RequiredText> b) {
    List<RequiredText> all = new ArrayList<>(a);
    all.addAll(b);
    return all;
  }

  /**
   * The texts of the variables that a message sets, by their names.
   *
   * @param matched takes each expression that matches
   */
  Map<String, String> variables(String message, Consumer<RequiredText> matched) {
    Map<String, String> found = new LinkedHashMap<>();
    for (RequiredText rule : set) {
      Matcher match = rule.match(message);
      if (match == null) {
        continue;
      }
      matched.accept(rule);
      List<String> names = rule.pattern().names();
      for (int group = 1; group < names.size(); group++) {
        String text = names.get(group).isEmpty() ? null : match.group(group);
        if (text != null) {
          found.put(names.get(group), text.strip());
        }
      }
    }
    return found;
  }

  /** The end of a message between nodes. */
  record End(String id, String peer) {}

  /**
   * The messages that a line sends or receives.
   *
   * @param matched takes each expression that matches
   */
  static List<End> ends(List<RequiredText> rules, String message, Consumer<RequiredText> matched) {
    List<End> ends = List.of();
    for (RequiredText rule : rules) {
      Matcher match = rule.match(message);
      String id = match == null ? null : match.group(ID);
      if (match == null || id == null || id.isBlank()) {
        continue;
      }
      matched.accept(rule);
      String peer = rule.pattern().hasGroup(PEER) ? match.group(PEER) : null;
      ends = ends.isEmpty() ? new ArrayList<>() : ends;
      ends.add(new End(id.strip(), peer == null ? "" : peer.strip()));
    }
    return ends;
  }
}
