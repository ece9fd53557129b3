// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.ClockOffsets.Offset;
import io.retroscope.rql.cut.NodeAlignment;
import io.retroscope.server.align.SimulatedCluster.Recording;
import io.retroscope.server.align.SimulatedCluster.Step;
import io.retroscope.server.align.SimulatedCluster.Traits;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests that the true offset is in the reported interval, whatever the clocks and the network do.
 */
class AlignmentSoundnessTest {
  /** The orders in which a log server may receive events. */
  enum Arrival {
    IN_ORDER {
      @Override
      void arrange(List<Recording> recordings, Random random) {}
    },
    /** Every node sends blocks of its own, with different delays. */
    BY_BLOCKS {
      @Override
      void arrange(List<Recording> recordings, Random random) {
        double period = 20_000 + random.nextInt(1_000_000);
        recordings.sort(
            Comparator.comparingDouble(
                r -> (Math.floor(r.trueMicros() / period) + 1) * period + r.node() * 1_000));
      }
    },
    BY_STAMP {
      @Override
      void arrange(List<Recording> recordings, Random random) {
        recordings.sort(Comparator.comparingLong(r -> r.event().hlc()));
      }
    },
    /** The events of one node arrive much later than all others. */
    ONE_LATE {
      @Override
      void arrange(List<Recording> recordings, Random random) {
        double late = 5e6 + random.nextInt(60_000_000);
        int node = random.nextInt(2);
        recordings.sort(
            Comparator.comparingDouble(r -> r.trueMicros() + (r.node() == node ? late : 0)));
      }
    },
    SHUFFLED {
      @Override
      void arrange(List<Recording> recordings, Random random) {
        Collections.shuffle(recordings, random);
      }
    },
    BACKWARDS {
      @Override
      void arrange(List<Recording> recordings, Random random) {
        Collections.reverse(recordings);
      }
    };

    abstract void arrange(List<Recording> recordings, Random random);
  }

  /** The uncertainty of the instant of a step that is found late, as expressed in stamps. */
  private static final double STAMP_LAG_MICROS = 1e6;

  private static final int PARTITIONS = 3;

  /** The results of one run. */
  private static final class Findings {
    private long checked;
    private long bounded;
    private double width;
    private long exempt;
    private final List<String> wrong = new ArrayList<>();
    private int falseAlarms;
    private final List<Double> detectionMicros = new ArrayList<>();
    private int undetected;
  }

  /** One cluster's events in one order. */
  private static final class Run {
    private final SimulatedCluster cluster;
    private final ClockAlignment alignment;
    private final List<Recording> arriving;
    private final Findings findings = new Findings();
    private final Random random;

    /** The time of the earliest event that arrives after a given number of others. */
    private final double[] completeFrom;

    private Recording newest;
    private int arrived;
    private double newestTrue;
    private int reports;
    private final boolean isLate;

    /**
     * A run.
     *
     * @param eventsOfLevel of the evidence that is chosen; 0 if all events are
     */
    Run(Traits traits, Arrival arrival, int eventsOfLevel) {
      isLate = arrival.compareTo(Arrival.BY_STAMP) > 0;
      cluster = new SimulatedCluster(traits);
      random = new Random(traits.seed());
      AlignmentSettings settings =
          new AlignmentSettings(
              traits.ratePpm(),
              traits.granuleMicros(),
              AlignmentSettings.DEFAULT.minimumDelayMicros(),
              Map.of(),
              AlignmentSettings.DEFAULT.driverWindowMicros(),
              AlignmentSettings.DEFAULT.maxRememberedMessages(),
              AlignmentSettings.DEFAULT.maxHistorySlices());
      alignment = new ClockAlignment(settings);
      arriving = new ArrayList<>(cluster.recordings());
      arrival.arrange(arriving, random);
      if (eventsOfLevel > 0) {
        choose(eventsOfLevel);
      }
      newest = arriving.get(0);
      completeFrom = new double[arriving.size() + 1];
      completeFrom[arriving.size()] = Double.POSITIVE_INFINITY;
      for (int i = arriving.size() - 1; i >= 0; i--) {
        completeFrom[i] = Math.min(completeFrom[i + 1], arriving.get(i).trueMicros());
      }
    }

    /** Replaces the events by the evidence of three partitions, in the order of stamps. */
    private void choose(int eventsOfLevel) {
      List<ClockEvidence> partitions = new ArrayList<>();
      for (int i = 0; i < PARTITIONS; i++) {
        partitions.add(new ClockEvidence(eventsOfLevel));
      }
      arriving.forEach(one -> partitions.get(one.node() % PARTITIONS).add(one.event()));
      Map<String, Recording> byStamp = new HashMap<>();
      arriving.forEach(one -> byStamp.put(one.event().node() + " " + one.event().hlc(), one));
      arriving.clear();
      partitions.forEach(
          evidence ->
              evidence
                  .events()
                  .forEach(
                      event -> {
                        Recording of = byStamp.get(event.node() + " " + event.hlc());
                        arriving.add(new Recording(event, of.node(), of.trueMicros()));
                      }));
      Arrival.BY_STAMP.arrange(arriving, random);
    }

    /** Feeds the events, and repeatedly compares current and past offsets with the truth. */
    Findings run() {
      int period = Math.max(1, arriving.size() / 60);
      for (int i = 0; i < arriving.size(); i++) {
        Recording next = arriving.get(i);
        alignment.record(next.event());
        arrived = i + 1;
        newestTrue = Math.max(newestTrue, next.trueMicros());
        if (next.event().hlc() > newest.event().hlc()) {
          newest = next;
        }
        noteReports();
        if (i % period == 0) {
          checkNow();
          checkPast(arriving.subList(0, i + 1), 20);
        }
      }
      checkPast(cluster.recordings(), 400);
      findings.undetected = Math.max(0, cluster.steps().size() - findings.detectionMicros.size());
      return findings;
    }

    private void noteReports() {
      List<ClockStep> steps = alignment.steps();
      if (steps.size() > reports) {
        Optional<Step> step = step();
        if (step.isEmpty() || newestTrue < step.get().trueMicros()) {
          findings.falseAlarms++;
        } else if (findings.detectionMicros.isEmpty()) {
          findings.detectionMicros.add(newestTrue - step.get().trueMicros());
        }
        reports = steps.size();
      }
    }

    private Optional<Step> step() {
      return cluster.steps().stream().findFirst();
    }

    private boolean isExempt(double trueMicros, long hlc) {
      Optional<Step> step = step();
      if (step.isEmpty() || newestTrue < step.get().trueMicros()) {
        return false;
      }
      if (findings.detectionMicros.isEmpty()) {
        return true;
      }
      double found =
          alignment.steps().stream().mapToDouble(ClockStep::timeMicros).min().orElseThrow();
      // Stamps express instants only up to their lag relative to the highest clock.
      double lag = isLate ? STAMP_LAG_MICROS : 0;
      double instant = alignment.timeMicros(hlc);
      return trueMicros >= step.get().trueMicros() - lag
          && (instant <= found + lag || alignment.mayHaveStepped(instant, instant + 1));
    }

    private void checkNow() {
      ClockOffsets offsets = alignment.offsets();
      List<NodeAlignment> rows = offsets.alignment();
      String driver = offsets.referenceNode().orElseThrow();
      for (NodeAlignment row : rows) {
        int node = index(row.node());
        int reference = index(row.reference());
        Recording at = row.reference().equals(driver) ? newest : newestOf(rows, row.reference());
        double truth = cluster.offsetMicros(reference, node, at.trueMicros());
        row.offset().ifPresent(offset -> check("now", reference, node, at, offset, truth));
      }
    }

    /** The newest event of a group of nodes, by which its offsets are found. */
    private Recording newestOf(List<NodeAlignment> rows, String reference) {
      Set<String> group =
          rows.stream()
              .filter(row -> row.reference().equals(reference))
              .map(NodeAlignment::node)
              .collect(Collectors.toSet());
      return arriving.subList(0, arrived).stream()
          .filter(one -> one.event().hasPhysical() && group.contains(one.event().node()))
          .max(Comparator.comparingLong(one -> one.event().hlc()))
          .orElseThrow();
    }

    private void checkPast(List<Recording> known, int instants) {
      ClockOffsets offsets = alignment.offsets();
      int reference = index(offsets.referenceNode().orElseThrow());
      for (int k = 0; k < instants; k++) {
        Recording chosen = known.get(random.nextInt(known.size()));
        Event event = chosen.event();
        Optional<Offset> offset = offsets.offset(event.node(), event.hlc());
        if (offset.isPresent()) {
          double truth = cluster.offsetMicros(reference, chosen.node(), chosen.trueMicros());
          check("past", reference, chosen.node(), chosen, offset.get(), truth);
          double read =
              SimulatedCluster.START_MICROS
                  + cluster.clockMicros(reference, chosen.trueMicros())
                  - event.physicalMicros();
          if (reference != chosen.node()) {
            check("reading", reference, chosen.node(), chosen, offset.get(), read);
          }
        }
      }
    }

    private void check(
        String what, int reference, int node, Recording at, Offset offset, double truth) {
      findings.checked++;
      if (isExempt(at.trueMicros(), at.event().hlc())) {
        findings.exempt++;
        return;
      }
      double low =
          offset.lowMicros().isPresent()
              ? offset.lowMicros().getAsLong()
              : Double.NEGATIVE_INFINITY;
      double high =
          offset.highMicros().isPresent()
              ? offset.highMicros().getAsLong()
              : Double.POSITIVE_INFINITY;
      if (low > Double.NEGATIVE_INFINITY && high < Double.POSITIVE_INFINITY) {
        findings.bounded++;
        findings.width += high - low;
      }
      // Stamps can be checked only against the clocks and floors of events that have arrived.
      if (truth < low && completeFrom[arrived] < newestTrue) {
        double fromMessages =
            alignment
                .frameAt(known(reference), alignment.timeMicros(at.event().hlc()))
                .low(known(node));
        if (truth >= fromMessages) {
          findings.exempt++;
          return;
        }
      }
      if (truth < low - 0.01 || truth > high + 0.01) {
        findings.wrong.add(
            String.format(
                Locale.ROOT,
                "%s %s at %.6f s: true %.1f from %s outside [%.0f, %.0f]",
                what,
                SimulatedCluster.name(node),
                at.trueMicros() / 1e6,
                truth,
                SimulatedCluster.name(reference),
                low,
                high));
      }
    }

    private int known(int node) {
      return alignment.find(SimulatedCluster.name(node)).orElseThrow().index();
    }

    private static int index(String name) {
      return Integer.parseInt(name.substring(1));
    }
  }

  /** The results of many runs. */
  private static final class Summary {
    private final Findings sum = new Findings();
    private final List<String> wrong = new ArrayList<>();
    private int runs;

    void add(Traits traits, Arrival arrival, int eventsOfLevel) {
      boolean late = arrival.compareTo(Arrival.BY_STAMP) > 0;
      Findings findings =
          new Run(late ? traits.readableBackwards() : traits, arrival, eventsOfLevel).run();
      runs++;
      sum.checked += findings.checked;
      sum.bounded += findings.bounded;
      sum.exempt += findings.exempt;
      sum.width += findings.width;
      sum.undetected += findings.undetected;
      sum.detectionMicros.addAll(findings.detectionMicros);
      if (!findings.wrong.isEmpty() || findings.falseAlarms > 0) {
        wrong.add(
            "%s %s: %d false alarms, %d wrong intervals, such as %s"
                .formatted(
                    arrival,
                    traits,
                    findings.falseAlarms,
                    findings.wrong.size(),
                    findings.wrong.stream().findFirst().orElse("none")));
      }
    }

    @Override
    public String toString() {
      Collections.sort(sum.detectionMicros);
      int found = sum.detectionMicros.size();
      return String.format(
          Locale.ROOT,
          "%d runs, %d intervals of which %d have both ends (mean width %.1f ms) and %d fall to an"
              + " undetected step; steps: %d found after a median of %.3f s, %d not; wrong runs:"
              + " %d",
          runs,
          sum.checked,
          sum.bounded,
          sum.width / Math.max(1, sum.bounded) / 1e3,
          sum.exempt,
          found,
          found == 0 ? 0 : sum.detectionMicros.get(found / 2) / 1e6,
          sum.undetected,
          wrong.size());
    }
  }

  /** One order of arrival for each seed. */
  private static void assertSoundForEachSeed(long firstSeed, int seeds, boolean steps) {
    Summary summary = new Summary();
    long first = Long.getLong("seed", firstSeed);
    for (long seed = first; seed < first + Integer.getInteger("seeds", seeds); seed++) {
      summary.add(Traits.drawn(seed, steps), order(seed), 0);
    }
    System.out.println("seeds from " + first + ": " + summary);
    assertThat(summary.wrong).isEmpty();
  }

  /** With evidence of so few events that most levels thin it. */
  private static void assertChosenSoundForEachSeed(long firstSeed, int seeds, boolean steps) {
    Summary summary = new Summary();
    long first = Long.getLong("seed", firstSeed);
    for (long seed = first; seed < first + Integer.getInteger("seeds", seeds); seed++) {
      int eventsOfLevel = 10 << Math.floorMod(seed, 6);
      summary.add(Traits.drawn(seed, steps), Arrival.BY_STAMP, eventsOfLevel);
    }
    System.out.println("chosen evidence, seeds from " + first + ": " + summary);
    assertThat(summary.wrong).isEmpty();
  }

  private static Arrival order(long seed) {
    Arrival[] orders = Arrival.values();
    return orders[(int) Math.floorMod(seed, (long) orders.length)];
  }

  @Test
  void offsets_noSteps_containTheTruthAndRaiseNoAlarm() {
    assertSoundForEachSeed(1, 36, false);
  }

  @Test
  void offsets_withSteps_containTheTruthButBetweenStepAndDetection() {
    assertSoundForEachSeed(1, 36, true);
  }

  @Test
  void offsets_ofChosenEvidence_containTheTruthAndRaiseNoAlarm() {
    assertChosenSoundForEachSeed(1, 18, false);
    assertChosenSoundForEachSeed(1, 18, true);
  }

  @Test
  @Tag("slow")
  void offsets_ofChosenEvidenceOfThousandsOfSeeds_containTheTruthAndRaiseNoAlarm() {
    assertChosenSoundForEachSeed(10_000, 3_000, false);
    assertChosenSoundForEachSeed(10_000, 3_000, true);
  }

  @Test
  @Tag("slow")
  void offsets_thousandsOfSeedsWithoutSteps_containTheTruthAndRaiseNoAlarm() {
    assertSoundForEachSeed(10_000, 3_000, false);
  }

  @Test
  @Tag("slow")
  void offsets_thousandsOfSeedsWithSteps_containTheTruthButBetweenStepAndDetection() {
    assertSoundForEachSeed(10_000, 3_000, true);
  }
}
