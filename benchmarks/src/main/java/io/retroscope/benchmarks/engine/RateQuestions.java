// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.engine;

import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.server.store.EventStore;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

/**
 * The questions of {@link CutRates} and {@link PredicateRates} about one log, as functions that
 * return the number of their rows. Each build of the engine has a class of this name, so that
 * {@link AgainstBuild} can run several in one process.
 */
public final class RateQuestions {
  static final int SEED = 7;

  /**
   * The names of the shapes that are logs about staleness begin so; the number of nodes follows.
   */
  private static final String STALENESS = "staleness ";

  private RateQuestions() {}

  /** The names of all shapes. */
  static List<String> shapes() {
    Stream<String> predicates =
        PredicateRates.shapes().keySet().stream().filter(name -> !name.startsWith("each of"));
    return Stream.concat(Stream.of(STALENESS + 3, STALENESS + 30), predicates).toList();
  }

  /** Stores a log of a shape in a folder, sealed. */
  public static void store(String shape, int events, Path folder) {
    int nodes = nodes(shape);
    if (nodes > 0) {
      LogOnDisk.fill(
          folder, new StalenessLog(nodes, events, SEED).columns(), nodes == 3 ? 20 : 4096);
    } else {
      LogOnDisk.fill(folder, ShapeLog.of("t", events, SEED, writer(shape)).stream(), 20);
    }
    LogOnDisk.seal(folder, events);
  }

  private static int nodes(String shape) {
    return shape.startsWith(STALENESS) ? Integer.parseInt(shape.substring(STALENESS.length())) : 0;
  }

  private static ShapeLog.Writer writer(String shape) {
    return shape(shape).writer();
  }

  private static PredicateRates.Shape shape(String name) {
    PredicateRates.Shape shape = PredicateRates.shapes().get(name);
    if (shape == null) {
      throw new IllegalArgumentException("no shape \"" + name + "\"");
    }
    return shape;
  }

  /** The questions about a log of a shape in memory, by their texts. */
  public static Map<String, IntSupplier> inMemory(String shape, int events) {
    int nodes = nodes(shape);
    return of(
        shape,
        new InMemoryEventSource(
            nodes > 0
                ? new StalenessLog(nodes, events, SEED).events()
                : ShapeLog.of("t", events, SEED, writer(shape)),
            ClockOffsets.UNKNOWN));
  }

  /** The questions about a log of a shape in a folder, which stays open. */
  public static Map<String, IntSupplier> stored(String shape, Path folder) {
    EventStore store = LogOnDisk.open(folder);
    return of(shape, () -> store.open(ClockOffsets.UNKNOWN));
  }

  private static Map<String, IntSupplier> of(String shape, EventSource source) {
    QueryEngine engine = new QueryEngine(source, QueryLimits.DEFAULT.withWalkThreads(1));
    List<String> texts =
        nodes(shape) > 0
            ? CutRates.QUERIES
            : shape(shape).queries().stream().map(text -> "SELECT " + text).toList();
    Map<String, IntSupplier> questions = new LinkedHashMap<>();
    for (String text : texts) {
      PreparedQuery query = engine.prepare(text + ";");
      questions.put(text, () -> CutRates.count(engine, query));
    }
    return questions;
  }
}
