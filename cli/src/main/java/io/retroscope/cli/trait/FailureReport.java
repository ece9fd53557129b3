// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.runs.RecordedRun;
import io.retroscope.cli.runs.RunPool;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonValues;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What distinguishes the failing runs of a system from the passing ones. Immutable. */
public final class FailureReport {
  private final int failing;
  private final int passing;
  private final int tried;
  private final long leftOut;
  private final List<Entry> entries;

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

  private FailureReport(int failing, int passing, int tried, long leftOut, List<Entry> entries) {
    this.failing = failing;
    this.passing = passing;
    this.tried = tried;
    this.leftOut = leftOut;
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
    for (RecordedRun run : passing) {
      if (failing.stream().anyMatch(other -> other.path().equals(run.path()))) {
        throw new CommandException(
            ExitCode.USAGE, run.path() + " is named as failing and as passing");
      }
      all.add(run);
    }
    TraitTable table = reader.read(all, pool);
    Distinctions distinctions = new Distinctions(table);
    BitSet failed = new BitSet();
    failed.set(0, failing.size());
    Map<Integer, RunTraits> read = new HashMap<>();
    List<Entry> entries = new ArrayList<>();
    for (Distinction found : distinctions.rank(failed)) {
      int example = found.trait().runs().nextSetBit(0);
      RunTraits traits =
          read.computeIfAbsent(example, run -> reader.traits(all.get(run), table.vocabulary()));
      entries.add(entry(found, all.get(example).name(), traits, table.vocabulary()));
    }
    return new FailureReport(
        failing.size(), passing.size(), distinctions.tried(), table.leftOut(), entries);
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

  /** Prints the report for reading. */
  public void printText(PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "%,d failing and %,d passing runs; %,d predicates that differ in their runs were tried%n",
        failing,
        passing,
        tried);
    if (leftOut > 0) {
      out.printf(Locale.ROOT, "%,d more predicates were left out%n", leftOut);
    }
    if (entries.isEmpty()) {
      out.println("nothing distinguishes them beyond chance");
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
        failing,
        found.passing(),
        passing,
        found.probability());
    out.println("    " + entry.text());
    out.println(
        "    such as %s at %s (hlc'%s')"
            .formatted(
                entry.run(),
                HlcTimestamp.isoMicros(HlcTimestamp.micros(entry.hlc())),
                HlcTimestamp.text(entry.hlc())));
    for (String other : entry.same()) {
      out.println("    the same: " + other);
    }
  }

  /** Prints the report as one JSON object. */
  public void printJson(PrintWriter out) {
    String list =
        entries.stream()
            .map(entry -> JsonValues.text(json(entry)))
            .collect(Collectors.joining(",\n", "[\n", "\n]"));
    out.println(
        "{\"failing\":%d,\"passing\":%d,\"tried\":%d,\"leftOut\":%d,\"distinctions\":%s}"
            .formatted(failing, passing, tried, leftOut, entries.isEmpty() ? "[]" : list));
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
