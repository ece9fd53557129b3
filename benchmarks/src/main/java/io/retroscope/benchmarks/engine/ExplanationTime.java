// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.engine;

import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.harness.CpuTime;
import io.retroscope.benchmarks.harness.ScratchFolder;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.Receive;
import io.retroscope.event.EventBody.Send;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.recordings.file.SealedConversion;
import io.retroscope.recordings.file.SealedFileSource;
import io.retroscope.rql.client.LocalSession;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.rule.Episode;
import io.retroscope.rql.rule.EpisodeExplanations;
import io.retroscope.rql.rule.Rule;
import io.retroscope.rql.rule.RuleCheck;
import io.retroscope.rql.rule.RuleSet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * The CPU time that an explanation of an episode takes beyond the query that found it, over a file
 * of sealed blocks: a leader replicates versions to two followers by messages, of which one is late
 * now and then.
 */
public final class ExplanationTime {
  private static final int SEED = 7;
  private static final int EVENTS_PER_VERSION = 7;
  private static final long START_MICROS = 1_795_200_000_000_000L;

  /** One version in this number begins a stretch in which a follower lags. */
  private static final int VERSIONS_PER_LAG = 5_000;

  private static final int LAG = 30;

  private ExplanationTime() {}

  /** Takes the number of events in thousands, and of explained episodes. */
  public static void main(String[] args) throws IOException {
    Arguments given = new Arguments(args, "thousands of events, explanations");
    int versions = 1_000 * given.number(0) / EVENTS_PER_VERSION;
    try (ScratchFolder scratch = ScratchFolder.create("explanation")) {
      Path folder = scratch.path();
      Path file = folder.resolve("versions.rtsf");
      write(file, versions);
      try (SealedFileSource source = SealedFileSource.open(file, all -> ClockOffsets.UNKNOWN);
          LocalSession session = new LocalSession("versions", source, QueryLimits.DEFAULT)) {
        measure(session, versions, given.number(1));
      }
    }
  }

  private static void measure(LocalSession session, int versions, int most) throws IOException {
    RuleSet set = new RuleSet();
    set.add("lag.rql", "CREATE RULE lag AS (NEVER SPREAD(r1) >= %d FROM t);".formatted(LAG / 2));
    Rule rule = set.rules().get(0);
    List<Episode> episodes = new ArrayList<>();
    long began = cpuNanos();
    new RuleCheck(session, "", () -> 0).episodes(rule, episodes::add);
    double query = (cpuNanos() - began) / 1e6;
    Collections.shuffle(episodes, new Random(SEED));
    EpisodeExplanations explanations = new EpisodeExplanations(session, "");
    double[] millis = new double[Math.min(most, episodes.size())];
    for (int i = 0; i < millis.length; i++) {
      long start = cpuNanos();
      if (explanations.of(rule, episodes.get(i)).findings().isEmpty()) {
        throw new AssertionError("not explained: " + episodes.get(i).id());
      }
      millis[i] = (cpuNanos() - start) / 1e6;
    }
    double first = millis[0];
    Arrays.sort(millis);
    System.out.printf(
        Locale.ROOT,
        "%,d events: the query %.0f ms; %d of %d episodes explained: first %.0f ms, median %.0f ms,"
            + " p95 %.0f ms%n",
        (long) versions * EVENTS_PER_VERSION,
        query,
        millis.length,
        episodes.size(),
        first,
        millis[millis.length / 2],
        millis[millis.length * 95 / 100]);
  }

  private static long cpuNanos() {
    return CpuTime.ofThread();
  }

  private static void write(Path file, int versions) throws IOException {
    Random random = new Random(SEED);
    Deque<Integer> late = new ArrayDeque<>();
    long micros = START_MICROS;
    int lagUntil = 0;
    try (SealedConversion conversion = new SealedConversion(file)) {
      for (int version = 0; version < versions; version++) {
        conversion.event(set("zk0", ++micros, version));
        conversion.event(event("zk0", ++micros, new Send("zk1", "a" + version)));
        conversion.event(event("zk0", ++micros, new Send("zk2", "b" + version)));
        conversion.event(event("zk1", ++micros, new Receive("zk0", "a" + version)));
        conversion.event(set("zk1", ++micros, version));
        if (random.nextInt(VERSIONS_PER_LAG) == 0) {
          lagUntil = version + LAG;
        }
        late.add(version);
        while (version >= lagUntil && !late.isEmpty()) {
          int received = late.remove();
          conversion.event(event("zk2", ++micros, new Receive("zk0", "b" + received)));
          conversion.event(set("zk2", ++micros, received));
        }
        micros += 50;
      }
      conversion.finish();
    }
  }

  private static Event set(String node, long micros, int version) {
    Change change = new Change(Operation.SET, "r1", Value.of(version));
    return event(node, micros, new StateChange(List.of(change)));
  }

  private static Event event(String node, long micros, EventBody body) {
    return new Event(node, "t", HlcTimestamp.pack(micros), body);
  }
}
