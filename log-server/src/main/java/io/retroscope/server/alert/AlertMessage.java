// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.alert;

import static java.util.Comparator.comparingLong;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.alert.AlertDefinition;
import io.retroscope.rql.alert.AlertEpisode;
import io.retroscope.rql.alert.AlertSettings;
import io.retroscope.rql.alert.Edge;
import io.retroscope.rql.alert.Notice;
import io.retroscope.rql.print.ValueText;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A message to receivers. Immutable.
 *
 * @param receivers the names of the receivers; all if empty
 * @param fields as they are stored and sent, documented in {@code docs/alerts.md}
 */
record AlertMessage(List<String> receivers, StructValue fields) {
  /** A phone shows about this much of a message. */
  private static final int MAX_CUT_CHARS = 400;

  private static final int MAX_EXPLAINED = 4;

  private static final Pattern GAP = Pattern.compile("\\{([^{}]*)}");

  /** Copies the list. */
  AlertMessage {
    receivers = List.copyOf(receivers);
  }

  /**
   * The message of a notice.
   *
   * @param reason why, if it is not the predicate itself; may be empty
   * @param health of the alert when it was decided
   * @param server the address at which clients reach the server
   */
  static AlertMessage of(
      AlertDefinition alert, Notice notice, String reason, String health, String server) {
    AlertSettings settings = alert.settings();
    Map<String, Value> fields = new LinkedHashMap<>();
    fields.put("key", Value.of(notice.key()));
    fields.put("status", Value.of(notice.kind().name().toLowerCase(Locale.ROOT)));
    fields.put("alert", Value.of(alert.name()));
    fields.put("item", Value.of(notice.item()));
    fields.put("episode", Value.of(notice.episode()));
    fields.put("severity", Value.of(settings.severity()));
    fields.put("correction", Value.of(notice.isCorrection()));
    fields.put("reason", Value.of(reason));
    long riseHlc =
        HlcTimestamp.parse(notice.episode().substring(notice.episode().lastIndexOf('@') + 1));
    fields.put("startsAt", Value.of(time(riseHlc)));
    fields.put("startsHlc", Value.of(HlcTimestamp.text(riseHlc)));
    notice
        .fall()
        .ifPresent(
            fall -> {
              fields.put("endsAt", Value.of(time(fall.hlc())));
              fields.put("endsHlc", Value.of(HlcTimestamp.text(fall.hlc())));
            });
    notice.rise().ifPresent(rise -> addRise(rise, fields));
    fields.put("health", Value.of(health));
    fields.put("description", Value.of(alert.description()));
    fields.put("summary", Value.of(summary(settings.summary(), notice)));
    fields.put("runbook", Value.of(settings.runbook()));
    fields.put("labels", struct(settings.labels()));
    fields.put("test", Value.of(false));
    fields.put(
        "command",
        Value.of(
            "retroscope alerts show %s --server %s"
                .formatted(ValueText.shellWord(notice.episode()), server)));
    fields.put("link", Value.of(link(notice.episode(), server)));
    return new AlertMessage(settings.receivers(), new StructValue(fields));
  }

  /** The address at which the console shows the cut of a rise, and explains it. */
  private static String link(String episode, String server) {
    return server
        + "/#/timeline?why=1&episode="
        + URLEncoder.encode(episode, StandardCharsets.UTF_8);
  }

  private static void addRise(Edge rise, Map<String, Value> fields) {
    if (!rise.time().isEmpty()) {
      fields.put("alignedTime", Value.of(rise.time()));
    }
    rise.uncertaintyMicros().ifPresent(micros -> fields.put("uncertaintyMicros", Value.of(micros)));
    fields.put("borderline", Value.of(rise.isBorderline()));
    fields.put("cut", rise.cut());
  }

  /** Returns the message that a test of receivers sends. */
  static AlertMessage test(AlertDefinition alert, long nowMicros, String server) {
    Notice notice =
        new Notice(
            alert.name() + "@" + HlcTimestamp.text(HlcTimestamp.pack(nowMicros)),
            "",
            Notice.Kind.FIRING,
            1,
            false,
            "this is a test",
            Optional.empty(),
            Optional.empty());
    AlertMessage message = of(alert, notice, notice.reason(), "ok", server);
    Map<String, Value> fields = new LinkedHashMap<>(message.fields().fields());
    fields.put("test", Value.of(true));
    return new AlertMessage(message.receivers(), new StructValue(fields));
  }

  /**
   * Returns the message about episodes that ended long ago, and have none of their own.
   *
   * @param past at least one
   * @param health of the alert when it was decided
   * @param server the address at which clients reach the server
   */
  static AlertMessage summary(
      AlertDefinition alert, List<AlertEpisode> past, String health, String server) {
    AlertEpisode first = Collections.min(past, comparingLong(episode -> episode.rise().hlc()));
    Edge last =
        Collections.max(
            past.stream().flatMap(episode -> episode.fall().stream()).toList(),
            comparingLong(Edge::hlc));
    Notice notice =
        new Notice(
            first.id(),
            "",
            Notice.Kind.RESOLVED,
            1,
            false,
            "",
            Optional.empty(),
            Optional.of(last));
    AlertMessage message = of(alert, notice, "", health, server);
    String range =
        "%s@%s..%s"
            .formatted(
                alert.name(), HlcTimestamp.text(first.rise().hlc()), HlcTimestamp.text(last.hlc()));
    Map<String, Value> fields = new LinkedHashMap<>(message.fields().fields());
    fields.put("key", Value.of(range + "/summary"));
    fields.put("episode", Value.of(range));
    fields.put("episodes", Value.of((long) past.size()));
    fields.put(
        "summary",
        Value.of(
            past.size() == 1
                ? "an episode that ended long ago"
                : "%,d episodes that ended long ago".formatted(past.size())));
    fields.put(
        "command",
        Value.of(
            "retroscope alerts history %s --server %s"
                .formatted(ValueText.shellWord(alert.name()), server)));
    fields.put(
        "link",
        Value.of(
            server + "/#/alerts?alert=" + URLEncoder.encode(alert.name(), StandardCharsets.UTF_8)));
    return new AlertMessage(message.receivers(), new StructValue(fields));
  }

  /** Returns the same message with the sentences of an explanation. */
  AlertMessage explained(List<String> sentences) {
    Map<String, Value> all = new LinkedHashMap<>(fields.fields());
    all.put("explanation", Value.of(String.join("\n", sentences)));
    return new AlertMessage(receivers, new StructValue(all));
  }

  private static StructValue struct(Map<String, String> texts) {
    Map<String, Value> fields = new LinkedHashMap<>();
    new TreeMap<>(texts).forEach((name, text) -> fields.put(name, Value.of(text)));
    return new StructValue(fields);
  }

  private static String time(long hlc) {
    return HlcTimestamp.isoMicros(HlcTimestamp.micros(hlc));
  }

  /** The summary with the values of the cut. */
  private static String summary(String template, Notice notice) {
    Map<String, Value> values = notice.rise().map(rise -> rise.cut().fields()).orElse(Map.of());
    Matcher gaps = GAP.matcher(template);
    StringBuilder text = new StringBuilder();
    while (gaps.find()) {
      Value value = values.get(gaps.group(1));
      gaps.appendReplacement(
          text, Matcher.quoteReplacement(value == null ? gaps.group() : ValueText.of(value)));
    }
    return gaps.appendTail(text).toString();
  }

  String text(String field) {
    return fields.fields().get(field) instanceof StringValue text ? text.value() : "";
  }

  boolean is(String field) {
    return BooleanValue.TRUE.equals(fields.fields().get(field));
  }

  boolean isFiring() {
    return text("status").equals("firing");
  }

  /** The message as text for people, a few short lines. */
  String toText() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s%s%s %s%s"
            .formatted(
                is("test") ? "TEST " : "",
                is("correction") ? "CORRECTION " : "",
                text("status").toUpperCase(Locale.ROOT),
                text("alert"),
                text("item").isEmpty() ? "" : " [" + text("item") + "]"));
    for (String field : List.of("summary", "description", "reason")) {
      if (!text(field).isEmpty()) {
        lines.add(text(field));
      }
    }
    lines.add("since " + text("startsAt") + uncertainty() + end());
    if (isFiring() && fields.fields().get("cut") instanceof StructValue cut) {
      lines.add(cutText(cut));
    }
    text("explanation").lines().limit(MAX_EXPLAINED).forEach(lines::add);
    if (!text("health").equals("ok")) {
      lines.add("evaluation: " + text("health"));
    }
    if (!text("runbook").isEmpty()) {
      lines.add(text("runbook"));
    }
    if (!text("link").isEmpty()) {
      lines.add(text("link"));
    }
    lines.add(text("command"));
    return String.join("\n", lines);
  }

  private String uncertainty() {
    String micros =
        fields.fields().get("uncertaintyMicros") instanceof LongValue known
            ? " ± %.3f ms".formatted(known.value() / 1e3)
            : "";
    return micros + (is("borderline") ? ", borderline" : "");
  }

  private String end() {
    return text("endsAt").isEmpty() ? "" : ", until " + text("endsAt");
  }

  private static String cutText(StructValue cut) {
    List<String> parts = new ArrayList<>();
    cut.fields().forEach((name, value) -> parts.add(name + ": " + ValueText.of(value)));
    String text = String.join("; ", parts);
    return text.length() <= MAX_CUT_CHARS ? text : text.substring(0, MAX_CUT_CHARS) + "...";
  }
}
