// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.connection;

import io.retroscope.cli.process.CommandException;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.client.Reconnect;
import io.retroscope.rql.client.ReconnectLoop;
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
 * The log lines of a server, followed across its restarts; each line is returned once. Used by one
 * thread.
 */
public final class ReconnectingLines {
  /*
   * Lines are in the order of their aligned times, for which a restarted server may have different
   * estimates, and the lines of some nodes arrive late. After a break, lines are therefore
   * requested again from some time before the last one, and lines that were already returned are
   * omitted.
   */
  static final long OVERLAP_MICROS = 60_000_000;

  /**
   * The number of remembered lines, so that none is returned twice; beyond it, a shorter period is
   * requested again.
   */
  private static final int MAX_REMEMBERED = 1 << 16;

  private final LineDownload download;
  private final Map<String, List<String>> parameters;
  private final OptionalLong limitMicros;
  private final ReconnectLoop loop;
  private final MonotonicClock clock;
  private final Map<Name, Long> given = new LinkedHashMap<>();
  private final long startNanos;
  private boolean begun;

  /** The time from which lines are requested again. */
  private long leastMicros = Long.MAX_VALUE;

  private long lastMicros = Long.MIN_VALUE;

  /** Two runs of a node may have written different lines at one stamp. */
  private record Name(String node, long hlc, int content) {}

  /**
   * Lines to follow.
   *
   * @param parameters the parameters of {@code LineRequest}, including {@code follow}
   * @param limitMicros the time limit; empty for none
   * @param warnings receives a message when the connection breaks
   */
  public ReconnectingLines(
      LineDownload download,
      Map<String, List<String>> parameters,
      OptionalLong limitMicros,
      Reconnect reconnect,
      MonotonicClock clock,
      Consumer<String> warnings) {
    this.download = download;
    this.parameters = parameters;
    this.limitMicros = limitMicros;
    this.loop =
        new ReconnectLoop(
            reconnect,
            this::isOver,
            failure -> warnings.accept(failure.getMessage() + "; connecting again"));
    this.clock = clock;
    this.startNanos = clock.nanos();
  }

  /**
   * Passes on every line as it arrives, until the time limit has elapsed or the sink accepts no
   * more.
   *
   * @throws CommandException if the first connection fails, or a reconnection does not succeed in
   *     time
   */
  public void read(Predicate<AlignedLine> sink) {
    try {
      loop.run(() -> readOnce(sink));
    } catch (IOException e) {
      throw ServerClient.lost(e);
    }
  }

  private void readOnce(Predicate<AlignedLine> sink) throws IOException {
    Map<String, List<String>> request = begun ? resumed() : parameters;
    begun = true;
    download.read(
        request, Optional.of(loop.longestSilence()), loop::connected, line -> give(line, sink));
  }

  private boolean give(AlignedLine line, Predicate<AlignedLine> sink) {
    loop.received();
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

  private long elapsedMicros() {
    return TimeUnit.NANOSECONDS.toMicros(clock.nanos() - startNanos);
  }

  private boolean isOver() {
    return limitMicros.isPresent() && elapsedMicros() >= limitMicros.getAsLong();
  }

  /** The request after a break. */
  private Map<String, List<String>> resumed() {
    Map<String, List<String>> request = new LinkedHashMap<>(parameters);
    request.remove("last");
    if (lastMicros != Long.MIN_VALUE) {
      long from = Math.max(lastMicros - OVERLAP_MICROS, leastMicros);
      request.put("since", List.of(HlcTimestamp.isoMicros(from)));
    } else if (!parameters.containsKey("since")) {
      // No line was returned yet, so all lines since the beginning are new.
      request.put("since", List.of(elapsedMicros() + "us"));
    }
    limitMicros.ifPresent(
        limit -> request.put("for", List.of(Math.max(1, limit - elapsedMicros()) + "us")));
    return request;
  }
}
