// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.runs.RecordedRun;
import io.retroscope.cli.runs.RunPool;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonText;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.rql.print.ValueText;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** What distinguishes the failing runs of a system from the passing ones. Immutable. */
public final class FailureReport {
  private final Basis basis;
  private final List<Entry> entries;

  /**
   * What was compared.
   *
   * @param leftOut the predicates that were not tried
   * @param lossy the runs of which events are lost
   * @param isEnough whether a predicate that tells all runs apart would be beyond chance
   */
  private record Basis(
      int failing, int passing, int tried, long leftOut, int lossy, boolean isEnough) {}

  /**
   * A distinction for users.
   *
   * @param text the predicate in RQL
   * @param run the name of a failing run that has it or, if it is one of passing runs, of such a
   *     run
   * @param hlc the packed stamp of a cut of that run
   * @param same other predicates that hold in the same runs or nearly
   */
  private record Entry(Distinction found, String text, String run, long hlc, List<String> same) {}

  private FailureReport(Basis basis, List<Entry> entries) {
    this.basis = basis;
    this.entries = List.copyOf(entries);
  }

  /**
   * Compares runs.
   *
   * @throws CommandException if a run cannot be read, or is in both
   * @throws InterruptedException if the thread is interrupted
   */
  public static FailureReport of(
      List<RecordedRun> failing, List<RecordedRun> passing, TraitReader reader, RunPool pool)
      throws InterruptedException {
    List<RecordedRun> all = new ArrayList<>(failing);
    Set<Path> known = failing.stream().map(RecordedRun::identity).collect(Collectors.toSet());
    for (RecordedRun run : passing) {
      if (known.contains(run.identity())) {
        throw new CommandException(
            ExitCode.USAGE, run.path() + " is named as failing and as passing");
      }
      all.add(run);
    }
    TraitTable table = reader.read(all, TraitScope.DISTINCTIONS, pool);
    Distinctions distinctions = new Distinctions(table);
    BitSet failed = new BitSet();
    failed.set(0, failing.size());
    Map<Integer, RunTraits> read = new HashMap<>();
    List<Entry> entries = new ArrayList<>();
    for (Distinction found : distinctions.rank(failed)) {
      int example = found.trait().runs().nextSetBit(0);
      RunTraits traits =
          read.computeIfAbsent(
              example,
              run -> reader.traits(all.get(run), TraitScope.DISTINCTIONS, table.vocabulary()));
      entries.add(entry(found, all.get(example).name(), traits, table.vocabulary()));
    }
    return new FailureReport(
        new Basis(
            failing.size(),
            passing.size(),
            distinctions.tried(),
            table.leftOut(),
            table.lossy(),
            distinctions.couldDistinguish(failed)),
        entries);
  }

  private static Entry entry(
      Distinction found, String run, RunTraits traits, TraitVocabulary vocabulary) {
    Trait trait = found.trait();
    Long held =
        traits.held().getOrDefault(trait.key(), traits.held().get(TraitTable.placed(trait.key())));
    RunTraits.Measure measure = traits.measures().get(trait.key());
    long hlc = held != null ? held : measure != null ? measure.hlc() : HlcTimestamp.MIN_PACKED;
    return new Entry(
        found,
        vocabulary.text(trait.key(), trait.bound()),
        run,
        hlc,
        found.same().stream().map(other -> vocabulary.text(other.key(), other.bound())).toList());
  }

  /** Whether anything distinguishes the runs beyond chance. */
  public boolean distinguishes() {
    return !entries.isEmpty();
  }

  /** Whether there are enough runs, with all their events, for nothing to distinguish them. */
  public boolean isConclusive() {
    return distinguishes() || (basis.isEnough() && basis.lossy() == 0);
  }

  /** Prints the report for reading. */
  public void printText(PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "%,d failing and %,d passing runs; %,d predicates that differ in their runs were tried%n",
        basis.failing(),
        basis.passing(),
        basis.tried());
    if (basis.leftOut() > 0) {
      out.printf(Locale.ROOT, "%,d more predicates were left out%n", basis.leftOut());
    }
    if (basis.lossy() > 0) {
      out.printf(
          Locale.ROOT,
          basis.lossy() == 1 ? "events of %,d run are lost%n" : "events of %,d runs are lost%n",
          basis.lossy());
    }
    if (entries.isEmpty()) {
      out.println(
          basis.isEnough()
              ? "nothing distinguishes them beyond chance"
              : "too few runs: no predicate could distinguish them beyond chance");
    }
    for (int i = 0; i < entries.size(); i++) {
      print(i + 1, entries.get(i), out);
    }
    out.flush();
  }

  private void print(int place, Entry entry, PrintWriter out) {
    Distinction found = entry.found();
    out.printf(
        Locale.ROOT,
        "%n%2d. in %,d of %,d failing, in %,d of %,d passing; by chance alone: %.1e%n",
        place,
        found.failing(),
        basis.failing(),
        found.passing(),
        basis.passing(),
        found.probability());
    out.println("    " + entry.text());
    out.println(
        "    such as %s at %s (hlc'%s')"
            .formatted(
                ValueText.printable(entry.run()),
                HlcTimestamp.isoMicros(HlcTimestamp.micros(entry.hlc())),
                HlcTimestamp.text(entry.hlc())));
    for (String other : entry.same()) {
      out.println("    the same: " + other);
    }
  }

  /** Prints the report as one JSON object. */
  public void printJson(PrintWriter out) {
    out.println(
        JsonText.object(
            json -> {
              json.writeNumberProperty("failing", basis.failing());
              json.writeNumberProperty("passing", basis.passing());
              json.writeNumberProperty("tried", basis.tried());
              json.writeNumberProperty("leftOut", basis.leftOut());
              json.writeNumberProperty("lossyRuns", basis.lossy());
              json.writeBooleanProperty("conclusive", isConclusive());
              JsonText.lines(
                  "distinctions",
                  entries.stream().map(entry -> JsonValues.text(json(entry))),
                  json);
            }));
    out.flush();
  }

  private static StructValue json(Entry entry) {
    Map<String, Value> fields = new LinkedHashMap<>();
    fields.put("predicate", Value.of(entry.text()));
    fields.put("failing", Value.of(entry.found().failing()));
    fields.put("passing", Value.of(entry.found().passing()));
    fields.put("probability", Value.of(entry.found().probability()));
    fields.put("run", Value.of(entry.run()));
    fields.put("hlc", Value.of(HlcTimestamp.text(entry.hlc())));
    fields.put("same", Value.setOf(entry.same().stream().map(Value::of).toArray(Value[]::new)));
    return new StructValue(fields);
  }
}
