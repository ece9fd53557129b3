// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.clocks;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.ClockOffsets.Offset;
import io.retroscope.rql.cut.NodeAlignment;
import io.retroscope.server.align.AlignmentSettings;
import io.retroscope.server.align.ClockAlignment;
import io.retroscope.server.align.OffsetModel;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.SplittableRandom;

/**
 * One run of drifting clocks. Every second, the offsets of all pairs are compared with the truth.
 */
final class DriftRun {
  private static final Offset UNKNOWN = new Offset(0, OptionalLong.empty(), OptionalLong.empty());

  /** The distance from the step after which a report is a false alarm. */
  private static final double LAST_ALARM_MICROS = 60e6;

  private final DriftModel model;
  private final DriftCluster cluster;
  private final ClockAlignment alignment;
  private final OffsetModel stamps;
  private final Map<DriftMethod, PairErrors> errors = new EnumMap<>(DriftMethod.class);
  private double originMicros = Double.NaN;
  private double newestMicros;
  private int stepsSeen;
  private int falseAlarms;
  private double detectedMicros = Double.NaN;
  private int silentUnsoundSeconds;
  private int unsoundSecondsOtherwise;

  DriftRun(DriftModel model, AlignmentSettings settings, SplittableRandom random) {
    this.model = model;
    this.cluster = new DriftCluster(model, random, this::record);
    this.alignment = new ClockAlignment(settings);
    this.stamps = new OffsetModel(DriftModel.NODES, settings.rhoPpm() * 1e-6, 0);
    for (DriftMethod method : DriftMethod.values()) {
      errors.put(method, new PairErrors(model.seconds()));
    }
  }

  /** Runs from the start to the end. */
  void run() {
    for (int second = model.warmUpSeconds(); second <= model.seconds(); second++) {
      cluster.runUntil(second * 1e6);
      measure(second);
    }
  }

  private void record(Event event, int node) {
    alignment.record(event);
    double stamp = HlcTimestamp.micros(event.hlc());
    if (Double.isNaN(originMicros)) {
      originMicros = stamp;
    }
    newestMicros = Math.max(newestMicros, stamp - originMicros);
    stamps.stamp(
        node, stamp - originMicros, event.physicalMicros() - originMicros, stamp - originMicros);
    int steps = alignment.stepCount();
    if (steps > stepsSeen) {
      stepFound();
      stepsSeen = steps;
    }
  }

  private void stepFound() {
    double since = cluster.trueMicros() - model.stepSecond() * 1e6;
    if (!model.hasStep() || since < 0 || since > LAST_ALARM_MICROS) {
      falseAlarms++;
    } else if (Double.isNaN(detectedMicros)) {
      detectedMicros = since;
    }
  }

  private void measure(int second) {
    long unsound = of(DriftMethod.MIDDLE).unsoundCount();
    for (int i = 0; i < DriftModel.NODES; i++) {
      Map<String, Offset> offsets = alignment.newestOffsets(cluster.name(i));
      for (int j = i + 1; j < DriftModel.NODES; j++) {
        boolean isAffected = i == cluster.steppingNode() || j == cluster.steppingNode();
        double truth = cluster.trueOffsetMicros(i, j);
        Offset offset = offsets.getOrDefault(cluster.name(j), UNKNOWN);
        pair(offset, truth, second, isAffected);
        double found = stamps.leastOffset(j, newestMicros) - stamps.leastOffset(i, newestMicros);
        of(DriftMethod.STAMPS).estimate(found - truth, second, isAffected);
      }
    }
    if (of(DriftMethod.MIDDLE).unsoundCount() > unsound) {
      if (model.hasStep() && second >= model.stepSecond() && Double.isNaN(detectedMicros)) {
        silentUnsoundSeconds++;
      } else {
        unsoundSecondsOtherwise++;
      }
    }
  }

  private void pair(Offset offset, double truth, int second, boolean isAffected) {
    boolean isBounded = offset.lowMicros().isPresent() && offset.highMicros().isPresent();
    double low = offset.lowMicros().orElse(0);
    double high = offset.highMicros().orElse(0);
    boolean isSound = low <= truth && truth <= high;
    of(DriftMethod.MIDDLE).interval(isBounded, high - low, isSound);
    if (isBounded) {
      of(DriftMethod.MIDDLE).estimate((low + high) / 2 - truth, second, isAffected);
      of(DriftMethod.TIMELINE).estimate(offset.estimateMicros() - truth, second, isAffected);
    }
  }

  PairErrors of(DriftMethod method) {
    return Objects.requireNonNull(errors.get(method));
  }

  DriftModel model() {
    return model;
  }

  /** The number of reported steps that did not happen. */
  int falseAlarms() {
    return falseAlarms;
  }

  /** The time from the step until it was found; NaN if it was not. */
  double detectedSeconds() {
    return detectedMicros / 1e6;
  }

  /** The clocks that are reported to have stepped, as far as they were identified. */
  List<String> namedNodes() {
    return alignment.offsets().alignment().stream()
        .filter(node -> node.lastStep().isPresent())
        .map(NodeAlignment::node)
        .toList();
  }

  /** The clock that steps. */
  String steppingNode() {
    return cluster.name(cluster.steppingNode());
  }

  /** The number of seconds with a wrong interval after the step and before it was found. */
  int silentUnsoundSeconds() {
    return silentUnsoundSeconds;
  }

  /** The number of seconds with a wrong interval at any other time. */
  int unsoundSecondsOtherwise() {
    return unsoundSecondsOtherwise;
  }
}
