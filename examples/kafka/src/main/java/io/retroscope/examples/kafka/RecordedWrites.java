// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.kafka;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.examples.stage.BuiltProject;
import io.retroscope.examples.stage.StageException;
import io.retroscope.recordings.file.EventCollector;
import io.retroscope.recordings.file.EventFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The writes of {@code r1} in a recorded run of three ZooKeeper servers, one run after another
 * without end. The versions grow from run to run. Immutable.
 */
final class RecordedWrites {
  /** The log of the writes. */
  static final String LOG = "setd";

  /** The variable that is written. */
  static final String VARIABLE = "r1";

  private static final String RECORDING = "docs/report/zookeeper.ndjson.gz";

  /** The pause between two runs. */
  private static final long PAUSE_MICROS = 50_000;

  private final Map<String, List<Write>> byNode;
  private final long spanMicros;
  private final long versionCount;

  /**
   * A write of a run.
   *
   * @param atMicros since the start of the run
   */
  private record Write(long atMicros, long version) {}

  private RecordedWrites(Map<String, List<Write>> byNode) {
    this.byNode = byNode;
    spanMicros =
        PAUSE_MICROS
            + byNode.values().stream()
                .flatMap(List::stream)
                .mapToLong(Write::atMicros)
                .max()
                .orElseThrow();
    versionCount =
        1
            + byNode.values().stream()
                .flatMap(List::stream)
                .mapToLong(Write::version)
                .max()
                .orElseThrow();
  }

  /**
   * Reads the recording of the project.
   *
   * @throws StageException if it is not there
   */
  static RecordedWrites read() throws StageException, IOException {
    Path file = BuiltProject.locate(RECORDING).file(RECORDING);
    EventCollector recorded = new EventCollector();
    EventFile.read(file, recorded);
    Map<String, List<Write>> byNode = new TreeMap<>();
    long start = -1;
    for (Event event : recorded.events()) {
      if (event.log().equals(LOG) && event.body() instanceof StateChange state) {
        Change change = state.changes().get(0);
        if (change.variable().equals(VARIABLE) && change.value() instanceof LongValue version) {
          long micros = HlcTimestamp.micros(event.hlc());
          start = start < 0 ? micros : start;
          byNode
              .computeIfAbsent(event.node(), node -> new ArrayList<>())
              .add(new Write(micros - start, version.value()));
        }
      }
    }
    if (byNode.isEmpty()) {
      throw new StageException(file + " has no writes of " + VARIABLE);
    }
    return new RecordedWrites(byNode);
  }

  /** The servers. */
  Set<String> nodes() {
    return byNode.keySet();
  }

  /** The duration of a run, with the pause after it. */
  long spanMicros() {
    return spanMicros;
  }

  private List<Write> ofRun(String node) {
    return byNode.getOrDefault(node, List.of());
  }

  /** The number of writes of a server in a run. */
  int countOf(String node) {
    return ofRun(node).size();
  }

  /**
   * The writes of a server in a part of the time.
   *
   * @param startMicros the start of the first run, since 1970
   * @param from of the part, inclusive, in microseconds since the first run began
   * @param to of the part, exclusive
   */
  List<Event> events(String node, long startMicros, long from, long to) {
    List<Event> events = new ArrayList<>();
    for (long run = from / spanMicros; run * spanMicros < to; run++) {
      for (Write write : ofRun(node)) {
        long at = run * spanMicros + write.atMicros();
        if (at >= from && at < to) {
          Value version = Value.of(run * versionCount + write.version());
          Change change = new Change(Operation.SET, VARIABLE, version);
          events.add(
              new Event(
                  node,
                  LOG,
                  HlcTimestamp.pack(startMicros + at),
                  new StateChange(List.of(change))));
        }
      }
    }
    return events;
  }
}
