// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.engine;

import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.harness.CpuTime;
import io.retroscope.benchmarks.harness.Samples;
import io.retroscope.benchmarks.harness.ScratchFolder;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

/**
 * A comparison of the engine with an earlier build of it, in one process and in turns, question by
 * question of {@link RateQuestions}. The earlier build takes part twice, before and after this one,
 * because code that is loaded later is slower. The second time is the control, whose ratio shows
 * what that and the machine alone do. {@code -Xbatch} makes a loaded machine compile before it
 * measures.
 */
public final class AgainstBuild {
  private static final long TURN_NANOS = 10_000_000;

  /**
   * Two seconds for each build, because a question that zones answer takes a twentieth of a
   * millisecond once its planning is compiled, and five times as long before.
   */
  private static final int WARM_ROUNDS = 200;

  private final List<Build> builds;
  private final List<String> begins;
  private final int rounds;
  private final int events;

  /** A build: the questions of its own classes. */
  private record Build(Class<?> questions) {
    static Build of(String classPath) throws IOException, ReflectiveOperationException {
      List<URL> urls = new ArrayList<>();
      for (String entry : classPath.split(File.pathSeparator, -1)) {
        urls.add(Path.of(entry).toUri().toURL());
      }
      ClassLoader platform = ClassLoader.getPlatformClassLoader();
      ClassLoader own = new URLClassLoader(urls.toArray(new URL[0]), platform);
      return new Build(own.loadClass(RateQuestions.class.getName()));
    }

    @SuppressWarnings("unchecked")
    Map<String, IntSupplier> inMemory(String shape, int events)
        throws ReflectiveOperationException {
      return (Map<String, IntSupplier>)
          questions.getMethod("inMemory", String.class, int.class).invoke(null, shape, events);
    }

    /** Stores a log in this build's own format. */
    void store(String shape, int events, Path folder) throws ReflectiveOperationException {
      questions
          .getMethod("store", String.class, int.class, Path.class)
          .invoke(null, shape, events, folder);
    }

    @SuppressWarnings("unchecked")
    Map<String, IntSupplier> stored(String shape, Path folder) throws ReflectiveOperationException {
      return (Map<String, IntSupplier>)
          questions.getMethod("stored", String.class, Path.class).invoke(null, shape, folder);
    }
  }

  private AgainstBuild(List<Build> builds, List<String> begins, int events, int rounds) {
    this.builds = builds;
    this.begins = begins;
    this.events = events;
    this.rounds = rounds;
  }

  /**
   * Takes the class path of the earlier build with these benchmarks, the number of events in
   * thousands, the number of rounds, and which questions are compared: begins of "SHAPE, memory:
   * QUESTION" and "SHAPE, sealed: QUESTION"; all without one.
   */
  public static void main(String[] args) throws IOException, ReflectiveOperationException {
    Arguments given =
        new Arguments(args, "class path, thousands of events, rounds, begins of questions");
    List<Build> builds = new ArrayList<>();
    for (String path :
        List.of(given.text(0), System.getProperty("java.class.path"), given.text(0))) {
      builds.add(Build.of(path));
    }
    AgainstBuild comparison =
        new AgainstBuild(builds, given.from(3), 1_000 * given.number(1), given.number(2));
    for (String shape : RateQuestions.shapes()) {
      comparison.inMemory(shape + ", memory: ", shape);
      comparison.sealed(shape + ", sealed: ", shape);
    }
  }

  private boolean isCompared(String question) {
    return begins.isEmpty()
        || begins.stream().anyMatch(b -> question.startsWith(b) || b.startsWith(question));
  }

  private void inMemory(String where, String shape) throws ReflectiveOperationException {
    if (isCompared(where)) {
      List<Map<String, IntSupplier>> questions = new ArrayList<>();
      for (Build build : builds) {
        questions.add(build.inMemory(shape, events));
      }
      compare(where, questions);
    }
  }

  private void sealed(String where, String shape) throws IOException, ReflectiveOperationException {
    if (!isCompared(where)) {
      return;
    }
    try (ScratchFolder scratch = ScratchFolder.create("builds")) {
      Path folder = scratch.path();
      List<Map<String, IntSupplier>> questions = new ArrayList<>();
      for (int i = 0; i < builds.size(); i++) {
        Path own = Files.createDirectory(folder.resolve("build" + i));
        builds.get(i).store(shape, events, own);
        questions.add(builds.get(i).stored(shape, own));
      }
      compare(where, questions);
    }
  }

  private void compare(String where, List<Map<String, IntSupplier>> questions) {
    for (String text : questions.get(0).keySet()) {
      if (!isCompared(where + text)) {
        continue;
      }
      List<IntSupplier> turns = questions.stream().map(own -> own.get(text)).toList();
      compare(where, text, turns);
    }
  }

  private void compare(String where, String text, List<IntSupplier> turns) {
    int expected = turns.get(0).getAsInt();
    double[][] rates = new double[turns.size()][rounds];
    for (int round = -WARM_ROUNDS; round < rounds; round++) {
      for (int turn = 0; turn < turns.size(); turn++) {
        double rate = rate(turns.get(turn), expected);
        if (round >= 0) {
          rates[turn][round] = rate;
        }
      }
    }
    System.out.printf(
        Locale.ROOT,
        "%.2f (control %.2f), %8.1f M/s before, %7d rows, %s%s%n",
        ratio(rates[1], rates[0], rates[2]),
        ratio(rates[2], rates[0]),
        new Samples(rates[0]).median(),
        expected,
        where,
        text);
  }

  /** The median over the rounds of one rate divided by the mean of others. */
  private static double ratio(double[] rates, double[]... others) {
    double[] ratios = new double[rates.length];
    for (int round = 0; round < rates.length; round++) {
      int of = round;
      ratios[round] = rates[round] / Stream.of(others).mapToDouble(o -> o[of]).average().orElse(0);
    }
    return new Samples(ratios).median();
  }

  /** Runs a question for a while; returns million events per second of CPU time. */
  private double rate(IntSupplier question, int expected) {
    long began = CpuTime.ofThread();
    long nanos = 0;
    int runs = 0;
    for (; nanos < TURN_NANOS; runs++) {
      int rows = question.getAsInt();
      if (rows != expected) {
        throw new AssertionError(rows + " rows instead of " + expected);
      }
      nanos = CpuTime.ofThread() - began;
    }
    return 1e3 * runs * events / nanos;
  }
}
