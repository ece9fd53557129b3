// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.console.CutPicture;
import io.retroscope.console.EventColumns;
import io.retroscope.console.MessageList;
import io.retroscope.console.SilentStretches;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.presence.SilenceLimits;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.metrics.Metrics;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The parts of the history from which the console draws: {@code GET /v1/recording}, {@code
 * /v1/messages}, {@code /v1/silences} and {@code /v1/cut}. Thread-safe.
 */
final class HistoryEndpoint {
  /** A cut is needed while its line is dragged, so that its answer must not wait. */
  private static final int MAX_COUNT = 8;

  /** The console needs cuts while it reads a recording. */
  private static final int MIN_COUNT = 2;

  /** The memory of one answer with the most events, and of its text. */
  private static final long ANSWER_BYTES = 64L << 20;

  /** The fraction of the memory budget for all answers, so that most is left to senders. */
  private static final int BUDGET_SHARE = 4;

  private static final int DEFAULT_EVENTS = 20_000;
  private static final int DEFAULT_MESSAGES = 5_000;

  private final EventSource source;
  private final MemoryBudget memory;
  private final SilenceLimits silence;
  private final Metrics metrics;
  private final long answerBytes;
  private final int maxCount;
  private final Semaphore running;

  HistoryEndpoint(EventSource source, MemoryBudget memory, SilenceLimits silence, Metrics metrics) {
    this.source = source;
    this.memory = memory;
    this.silence = silence;
    this.metrics = metrics;
    long share = memory.totalBytes() / BUDGET_SHARE;
    answerBytes = Math.max(1, Math.min(ANSWER_BYTES, share / MIN_COUNT));
    maxCount = (int) Math.max(MIN_COUNT, Math.min(MAX_COUNT, share / answerBytes));
    running = new Semaphore(maxCount);
  }

  List<Route> routes() {
    return List.of(
        new Route.Get("/v1/recording", Access.READ, Gate.asQuery(metrics, this::recording)),
        new Route.Get("/v1/messages", Access.READ, Gate.asQuery(metrics, this::messages)),
        new Route.Get("/v1/silences", Access.READ, Gate.asQuery(metrics, this::silences)),
        new Route.Get("/v1/cut", Access.READ, Gate.asQuery(metrics, this::cut)));
  }

  private void recording(Context context) {
    int most = Parameters.number(context, "limit", DEFAULT_EVENTS, 1, EventColumns.MAX_EVENTS);
    answer(
        context,
        view ->
            EventColumns.json(
                view, Parameters.range(context, view), wantedLogs(context, view), most));
  }

  private void messages(Context context) {
    int most = Parameters.number(context, "limit", DEFAULT_MESSAGES, 1, MessageList.MAX_MESSAGES);
    answer(context, view -> MessageList.json(view, Parameters.range(context, view), most));
  }

  private void silences(Context context) {
    answer(context, view -> SilentStretches.json(view, Parameters.range(context, view), silence));
  }

  private void cut(Context context) {
    answer(
        context,
        view -> {
          long last = view.extent().map(HlcRange::to).orElse(HlcTimestamp.MIN_PACKED);
          Set<String> logs = wantedLogs(context, view);
          Set<String> variables =
              view.logs().stream()
                  .filter(log -> logs.contains(log.name()))
                  .flatMap(log -> log.variables().stream())
                  .collect(Collectors.toSet());
          return CutPicture.json(
              view,
              Parameters.stamp(context, "at", last),
              new CutPicture.Selection(logs, Parameters.names(context, "variable", variables)),
              silence,
              parts(context));
        });
  }

  private static Set<CutPicture.Part> parts(Context context) {
    Set<String> known =
        Arrays.stream(CutPicture.Part.values())
            .map(CutPicture.Part::word)
            .collect(Collectors.toCollection(TreeSet::new));
    List<String> wanted = context.queryParams("part");
    if (!known.containsAll(wanted)) {
      throw ProblemException.of(400, "No such part", "part must be one of " + known);
    }
    Set<CutPicture.Part> parts = EnumSet.allOf(CutPicture.Part.class);
    parts.removeIf(part -> !wanted.isEmpty() && !wanted.contains(part.word()));
    return parts;
  }

  private static Set<String> wantedLogs(Context context, EventSource.View view) {
    Set<String> known =
        view.logs().stream()
            .map(LogDescription::name)
            .collect(Collectors.toCollection(HashSet::new));
    Set<String> wanted = Parameters.names(context, "log", known);
    return wanted.isEmpty() ? EventColumns.logs(view) : wanted;
  }

  private void answer(Context context, Function<EventSource.View, String> json) {
    answer(json, text -> JsonAnswer.send(context, text.getBytes(StandardCharsets.UTF_8)));
  }

  /** Reads and sends a part of the history; its memory is charged until it was sent. */
  void answer(Function<EventSource.View, String> json, Consumer<String> send) {
    if (!running.tryAcquire()) {
      throw busy();
    }
    try (MemoryBudget.Charge charge = memory.charge();
        EventSource.View view = source.open()) {
      if (!charge.tryResize(answerBytes)) {
        throw busy();
      }
      send.accept(json.apply(view));
    } finally {
      running.release();
    }
  }

  private ProblemException busy() {
    return ProblemException.of(
        429,
        "Too many parts of the history",
        maxCount + " parts are read at a time, as far as memory allows; try again in a second");
  }
}
