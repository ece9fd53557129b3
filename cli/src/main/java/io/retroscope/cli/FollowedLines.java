package io.retroscope.cli;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.client.Reconnect;
import io.retroscope.rql.shell.ExitCode;
import io.retroscope.server.lines.AlignedLine;
import io.retroscope.server.live.MonotonicClock;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Follows the log lines of a server, also over its restarts: each line is given once. Used by one
 * thread.
 */
final class FollowedLines {
  /*
   * Lines stand in the order of their aligned times, of which a restarted server may have other estimates, and those of
   * some nodes come late. So after a break lines are asked for again from some time before the last one, and those that
   * were given are left out.
   */
  static final long OVERLAP_MICROS = 60_000_000;

  /** Lines remembered so that none is given twice; of more, fewer are asked for again. */
  private static final int MAX_REMEMBERED = 1 << 16;

  private final LineDownload download;
  private final Map<String, List<String>> parameters;
  private final OptionalLong limitMicros;
  private final Reconnect reconnect;
  private final MonotonicClock clock;
  private final Consumer<String> warnings;
  private final Map<Name, Long> given = new LinkedHashMap<>();
  private final long startNanos;
  private boolean connected;
  private int failedAttempts;

  /** None before it is asked for again. */
  private long leastMicros = Long.MAX_VALUE;

  private long lastMicros = Long.MIN_VALUE;

  /** Two runs of a node may have written different lines at one stamp. */
  private record Name(String node, long hlc, int content) {}

  /**
   * Lines to follow.
   *
   * @param parameters as {@code LineRequest} knows them, {@code follow} among them
   * @param limitMicros how long; empty for ever
   * @param warnings hears that the connection broke
   */
  FollowedLines(
      LineDownload download,
      Map<String, List<String>> parameters,
      OptionalLong limitMicros,
      Reconnect reconnect,
      MonotonicClock clock,
      Consumer<String> warnings) {
    this.download = download;
    this.parameters = parameters;
    this.limitMicros = limitMicros;
    this.reconnect = reconnect;
    this.clock = clock;
    this.warnings = warnings;
    this.startNanos = clock.nanos();
  }

  /**
   * Hands on every line as it comes, until the time is up or no more are wanted.
   *
   * @throws CommandException if there is no connection at first, or not again in time
   */
  void read(Predicate<AlignedLine> sink) throws IOException {
    Map<String, List<String>> asked = parameters;
    while (true) {
      try {
        download.read(
            asked,
            Optional.of(reconnect.longestSilence()),
            () -> connected = true,
            line -> give(line, sink));
        return;
      } catch (CommandException e) {
        boolean hopeless = !connected || failedAttempts >= reconnect.attemptCount();
        if (hopeless || e.exitCode() != ExitCode.CONNECTION_LOST || isOver()) {
          throw e;
        }
        waitBeforeReconnecting(String.valueOf(e.getMessage()));
      }
      asked = resumed();
    }
  }

  private boolean give(AlignedLine line, Predicate<AlignedLine> sink) {
    failedAttempts = 0;
    Name name = new Name(line.event().node(), line.event().hlc(), line.line().hashCode());
    long micros = line.time().micros();
    if (given.putIfAbsent(name, micros) != null) {
      return true;
    }
    if (leastMicros == Long.MAX_VALUE) {
      leastMicros = micros;
    }
    lastMicros = Math.max(lastMicros, micros);
    if (given.size() > MAX_REMEMBERED) {
      Map.Entry<Name, Long> oldest = given.entrySet().iterator().next();
      leastMicros = Math.max(leastMicros, oldest.getValue() + 1);
      given.remove(oldest.getKey());
    }
    return sink.test(line);
  }

  private void waitBeforeReconnecting(String reason) {
    if (failedAttempts == 0) {
      warnings.accept(reason + "; connecting again");
    }
    try {
      TimeUnit.MILLISECONDS.sleep(reconnect.waitBefore(failedAttempts).toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException(ExitCode.FAILED, "interrupted", e);
    }
    failedAttempts++;
  }

  private long elapsedMicros() {
    return TimeUnit.NANOSECONDS.toMicros(clock.nanos() - startNanos);
  }

  private boolean isOver() {
    return limitMicros.isPresent() && elapsedMicros() >= limitMicros.getAsLong();
  }

  /** What to ask for after a break. */
  private Map<String, List<String>> resumed() {
    Map<String, List<String>> asked = new LinkedHashMap<>(parameters);
    asked.remove("last");
    if (lastMicros != Long.MIN_VALUE) {
      long from = Math.max(lastMicros - OVERLAP_MICROS, leastMicros);
      asked.put("since", List.of(HlcTimestamp.isoMicros(from)));
    } else if (!parameters.containsKey("since")) {
      // Nothing was given yet, so all that came since the beginning is new.
      asked.put("since", List.of(elapsedMicros() + "us"));
    }
    limitMicros.ifPresent(
        limit -> asked.put("for", List.of(Math.max(1, limit - elapsedMicros()) + "us")));
    return asked;
  }
}
