// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.examples.stage.CaseStudy.Scene;
import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.HlcRange;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * One run of a case study: queries live, repeats the questions over the past, checks the oracle,
 * and leaves events and sound.
 */
public final class CaseRun {
  private static final Duration STATUS_INTERVAL = Duration.ofMillis(250);
  private static final Duration SETTLE = Duration.ofMillis(500);

  private final CaseStudy study;
  private final DemoOptions options;
  private final DemoScreen screen;
  private final PrintWriter err;

  /**
   * A run that is not started yet.
   *
   * @param out for progress and results
   * @param err for one sentence with the reason of a failure
   */
  public CaseRun(CaseStudy study, DemoOptions options, PrintWriter out, PrintWriter err) {
    this.study = study;
    this.options = options;
    this.screen = new DemoScreen(out, options.terminal(), options.quiet());
    this.err = err;
  }

  /**
   * Runs it to its end. In any case, no process that it started is left running.
   *
   * @return 0, or 1 if it failed, with the reason written to {@code err}
   */
  public int run() {
    return DemoRun.run(options.outFolder(), screen, err, this::run);
  }

  private void run(Path folder) throws StageException, IOException, InterruptedException {
    screen.say("Starting a log server and the system ...");
    try (DemoServer server =
            DemoServer.start(folder.resolve("store"), options.port(), Optional.empty());
        Scene scene = study.start(folder, server.uri());
        DemoSound sound =
            DemoSound.open(server.uri(), study.soundscape(), scene.nodes(), screen::say)) {
      screen.say("  log server  " + server.uri());
      scene.introduction().forEach(line -> screen.say("  " + line));
      awaitHeard(server, scene);
      screen.say("Each node has its place in the sound: " + sound.places());
      screen.say("");
      List<String> differences = ask(server, scene);
      List<Check> checks = scene.checks(new History(server));
      screen.print("");
      for (Check check : checks) {
        screen.print((check.holds() ? "  holds  " : "  FAILS  ") + check.statement());
      }
      writeFiles(server);
      scene.leave(options.outFolder());
      if (options.keep()) {
        keep(server, scene);
      }
      if (!differences.isEmpty()) {
        throw new StageException(
            "the past and the live answer differ: " + String.join("; ", differences));
      }
      List<String> failed =
          checks.stream().filter(check -> !check.holds()).map(Check::statement).toList();
      if (!failed.isEmpty()) {
        throw new StageException("the oracle does not agree: " + String.join("; ", failed));
      }
    }
  }

  /** A node that the server has not heard of is in no live row, but in those of the past. */
  private static void awaitHeard(DemoServer server, Scene scene)
      throws StageException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (!heard(server).containsAll(scene.nodes())) {
      scene.checkRunning();
      if (deadline.hasPassed()) {
        throw new StageException(
            "of the nodes %s, the log server has heard only %s after %d s"
                .formatted(scene.nodes(), heard(server), Deadline.PATIENCE.toSeconds()));
      }
      Deadline.sleep(SETTLE.dividedBy(10));
    }
  }

  private static List<String> heard(DemoServer server) {
    return server.nodes().stream().map(Catalog.NodeDescription::name).toList();
  }

  /** Runs all questions live while the system works, then over the past. */
  private List<String> ask(DemoServer server, Scene scene)
      throws StageException, IOException, InterruptedException {
    List<LiveMatches> live = new ArrayList<>();
    try {
      for (Question question : study.questions()) {
        screen.say("Asking, live: " + question.title());
        screen.say("  " + question.live().replace(" WHEN", "\n    WHEN"));
        RowPrinter printer = new RowPrinter(question, screen);
        live.add(
            LiveMatches.follow(server.uri(), question.live(), printer::print, Deadline.PATIENCE));
      }
      screen.say("");
      long begin = now();
      work(scene, live);
      HlcRange time = new HlcRange(begin, now());
      List<String> differences = new ArrayList<>();
      screen.print("");
      for (int i = 0; i < live.size(); i++) {
        compare(server, study.questions().get(i), live.get(i), time).ifPresent(differences::add);
      }
      return differences;
    } finally {
      live.forEach(LiveMatches::close);
    }
  }

  /** A stamp above all earlier ones: all nodes are on this machine, none ahead of its clock. */
  private static long now() {
    return HlcTimestamp.pack(PhysicalClock.system().freshMicros());
  }

  private void work(Scene scene, List<LiveMatches> live)
      throws StageException, InterruptedException {
    try (Work work = scene.begin()) {
      Deadline end = Deadline.in(Duration.ofSeconds(options.seconds()));
      while (!end.hasPassed()) {
        Deadline.sleep(STATUS_INTERVAL);
        scene.checkRunning();
        work.checkRunning();
        for (LiveMatches matches : live) {
          matches.checkAlive();
        }
        screen.status(
            "  %d s to go   %s".formatted(Math.max(0, end.remaining().toSeconds()), work.status()));
      }
      screen.status("  waiting for the last fault to end   " + work.status());
      work.finish();
    }
    Deadline.sleep(SETTLE);
    screen.endStatus();
  }

  private Optional<String> compare(
      DemoServer server, Question question, LiveMatches live, HlcRange time)
      throws StageException, IOException, InterruptedException {
    if (!live.awaitReached(time.to(), Deadline.PATIENCE)) {
      throw new StageException(
          "the live answer to \"%s\" did not get to the end within %d s; last heard of the nodes: %s"
              .formatted(question.title(), Deadline.PATIENCE.toSeconds(), lastHeard(server)));
    }
    live.warnings().forEach(warning -> screen.say("  warning: " + warning));
    LiveAndPast both = LiveAndPast.within(time, live.matches(), server.run(question.rql()));
    Optional<String> difference = both.difference();
    screen.print(
        String.format(
            Locale.ROOT,
            "  %-24s %d rows live, %s",
            question.title(),
            both.liveCount(),
            difference.isEmpty() ? "the same over the past" : "OTHERS over the past"));
    return difference.map(text -> question.title() + ": " + text);
  }

  /** How long ago each node recorded or promised anything. */
  private static String lastHeard(DemoServer server) {
    return server.nodes().stream()
        .map(
            node ->
                "%s %,d ms ago"
                    .formatted(
                        node.name(),
                        (HlcTimestamp.micros(now()) - HlcTimestamp.micros(node.lastHlc())) / 1_000))
        .collect(Collectors.joining(", "));
  }

  private void writeFiles(DemoServer server) throws IOException {
    Path out = options.outFolder();
    Path events = out.resolve("events.ndjson");
    server.export(events);
    Files.writeString(out.resolve(study.name() + ".rql"), study.soundscape());
    SoundFiles.write(study.soundscape(), events, out, study.name());
    screen.print("");
    screen.print(
        "Left in %s: %s.wav, .mid and .rql, events.ndjson, rules.rql".formatted(out, study.name()));
    screen.print("  open the report: " + ReportFiles.write(study.questions(), events, out));
    screen.print(
        "  query the file: ./retroscope shell --file "
            + events
            + " -c "
            + shellWord(study.questions().get(0).intervals()));
  }

  /** A text as one word of a POSIX shell. */
  static String shellWord(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }

  /** Continues until the process is stopped, so that live queries have results. */
  private void keep(DemoServer server, Scene scene) throws StageException, InterruptedException {
    screen.print("");
    screen.print("The demo runs until Ctrl-C, with its load and its faults.");
    screen.print("  see it:         " + server.uri() + "/");
    screen.print("  query it:       ./retroscope shell --server " + server.uri());
    try (Work work = scene.begin()) {
      while (true) {
        Deadline.sleep(STATUS_INTERVAL);
        scene.checkRunning();
        work.checkRunning();
        screen.status("  " + work.status());
      }
    }
  }

  /** A printer of live rows. Used by one thread. */
  private static final class RowPrinter {
    private final Question question;
    private final DemoScreen screen;
    private long roseMicros;

    RowPrinter(Question question, DemoScreen screen) {
      this.question = question;
      this.screen = screen;
    }

    void print(Match match) {
      long micros = HlcTimestamp.micros(match.hlc());
      String what;
      if (match.isRise()) {
        roseMicros = micros;
        what = question.title();
      } else if (match.isFall() && roseMicros > 0) {
        what = "  over after %,d ms".formatted((micros - roseMicros) / 1_000);
      } else {
        what = match.isFall() ? "  not any more" : question.title();
      }
      screen.say(
          String.format(
              Locale.ROOT,
              "  %s  %-24s %s%s",
              match.timeOfDay(),
              what,
              match.byNode(question.shown()),
              match.isComplete() ? "" : "  (not every node was heard)"));
    }
  }
}
