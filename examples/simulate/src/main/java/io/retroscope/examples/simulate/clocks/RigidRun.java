// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.clocks;

import io.retroscope.server.align.OffsetModel;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** One run of the rigid model, which passes its events to the estimator as they happen. */
final class RigidRun {
  private final RigidModel model;
  private final SplittableRandom random;
  private final double[] offset;
  private final double[] rate;
  private final double[] stamp;
  private final List<List<InFlight>> arriving = new ArrayList<>();
  private final OffsetModel anyDelay;
  private final OffsetModel knownDelay;
  private int tick;

  /** A message that has not been received yet. */
  private record InFlight(int sender, int receiver, double reading, double stamp, int sentTick) {}

  RigidRun(RigidModel model, SplittableRandom random) {
    this.model = model;
    this.random = random;
    int nodes = model.nodes();
    offset = new double[nodes];
    rate = new double[nodes];
    stamp = new double[nodes];
    for (int i = 0; i < nodes; i++) {
      offset[i] = offset(i);
      rate[i] = model.ratePpm() == 0 ? 0 : (2 * random.nextDouble() - 1) * model.ratePpm() * 1e-6;
      stamp[i] = Double.NEGATIVE_INFINITY;
    }
    for (int i = 0; i <= model.maxDelay(); i++) {
      arriving.add(new ArrayList<>(4));
    }
    anyDelay = new OffsetModel(nodes, model.rho(), 0);
    knownDelay = new OffsetModel(nodes, model.rho(), model.minDelay());
  }

  private int offset(int node) {
    if (node == 0) {
      return 0;
    }
    return node == model.nodes() - 1 ? model.skew() : random.nextInt(model.skew() + 1);
  }

  /** Continues until the log has this many ticks. */
  void runUntil(int length) {
    while (tick < length) {
      List<InFlight> due = arriving.get(tick % arriving.size());
      due.forEach(this::receive);
      due.clear();
      for (int node = 0; node < offset.length; node++) {
        if (random.nextDouble() < model.eventProbability()) {
          event(node);
        }
      }
      tick++;
    }
  }

  private void event(int node) {
    stamp(node, Double.NEGATIVE_INFINITY);
    if (random.nextDouble() < model.communicationProbability()) {
      int other = random.nextInt(offset.length - 1);
      int receiver = other < node ? other : other + 1;
      int delay = random.nextInt(model.minDelay(), model.maxDelay() + 1);
      InFlight message = new InFlight(node, receiver, reading(node), stamp[node], tick);
      if (delay == 0) {
        receive(message);
      } else {
        arriving.get((tick + delay) % arriving.size()).add(message);
      }
    }
  }

  private void receive(InFlight message) {
    stamp(message.receiver, message.stamp);
    message(anyDelay, message);
    message(knownDelay, message);
  }

  private void message(OffsetModel estimator, InFlight message) {
    estimator.message(
        message.sender,
        message.reading,
        message.sentTick,
        message.receiver,
        reading(message.receiver),
        tick);
  }

  private void stamp(int node, double received) {
    double reading = reading(node);
    stamp[node] = Math.max(Math.max(stamp[node], received), reading);
    anyDelay.stamp(node, stamp[node], reading, tick);
  }

  private double reading(int node) {
    return tick * (1 + rate[node]) - offset[node];
  }

  /** A node's true offset from node 0 at the end of the last tick. */
  double trueOffset(int node) {
    return offset[node] - offset[0] + (tick - 1) * (rate[0] - rate[node]);
  }

  /** The tick that ended last. */
  int lastTick() {
    return tick - 1;
  }

  /** The estimator without a minimum delay. */
  OffsetModel anyDelay() {
    return anyDelay;
  }

  /** The estimator with the known minimum delay. */
  OffsetModel knownDelay() {
    return knownDelay;
  }

  RigidModel model() {
    return model;
  }
}
