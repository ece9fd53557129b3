// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.migration;

import io.retroscope.examples.simulate.paxos.WideNetwork;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.IntStream;

/** Decides for one object in which region it should be. Used by one thread. */
public interface Policy {
  /** The number of regions. */
  int REGIONS = WideNetwork.REGIONS.size();

  /**
   * The region in which the object should be after this access.
   *
   * @param region of the access
   * @param owner the region in which the object is
   */
  int wanted(int region, int owner);

  /** The policies of the comparison; each supplies one for each object. */
  enum Kind {
    /** The object stays. */
    NONE("no migration"),
    /** Three accesses of one region in a row. */
    CONSECUTIVE("3 consecutive"),
    /** More than half of the last ten accesses. */
    MAJORITY("majority of 10"),
    /** The exponential average of the numbers of the regions. */
    AVERAGE("average"),
    /** The least latency for the last ten accesses. */
    GRAVITY("centre of gravity");

    private static final int WINDOW = 10;

    private final String title;

    Kind(String title) {
      this.title = title;
    }

    /** The name in tables. */
    public String title() {
      return title;
    }

    /** A policy for one object. */
    public Policy create() {
      return switch (this) {
        case NONE -> (region, owner) -> owner;
        case CONSECUTIVE -> new Consecutive(3);
        case MAJORITY -> new Majority(WINDOW);
        case AVERAGE -> new Average(0.2);
        case GRAVITY -> new Gravity(WINDOW);
      };
    }
  }

  /** Moves the object after n accesses in a row from another region. */
  final class Consecutive implements Policy {
    private final int needed;
    private int last = -1;
    private int count;

    Consecutive(int needed) {
      this.needed = needed;
    }

    @Override
    public int wanted(int region, int owner) {
      count = region == last ? count + 1 : 1;
      last = region;
      return count >= needed ? region : owner;
    }
  }

  /** The last accesses. */
  final class Window {
    private final int size;
    private final Deque<Integer> regions = new ArrayDeque<>();
    private final int[] counts = new int[REGIONS];

    Window(int size) {
      this.size = size;
    }

    /** Adds an access; returns whether the window is full. */
    boolean add(int region) {
      regions.add(region);
      counts[region]++;
      if (regions.size() > size) {
        counts[regions.remove()]--;
      }
      return regions.size() == size;
    }

    int count(int region) {
      return counts[region];
    }
  }

  /** Moves the object to the region of more than half of the last accesses. */
  final class Majority implements Policy {
    private final int size;
    private final Window window;

    Majority(int size) {
      this.size = size;
      this.window = new Window(size);
    }

    @Override
    public int wanted(int region, int owner) {
      return window.add(region) && 2 * window.count(region) > size ? region : owner;
    }
  }

  /** Averages the numbers of regions, so that it visits those whose numbers lie between. */
  final class Average implements Policy {
    private final double weight;
    private double average = Double.NaN;

    Average(double weight) {
      this.weight = weight;
    }

    @Override
    public int wanted(int region, int owner) {
      average = Double.isNaN(average) ? region : average + weight * (region - average);
      return (int) Math.round(average);
    }
  }

  /** Moves the object where the last accesses would have taken the least time. */
  final class Gravity implements Policy {
    /** A move has to save this share, so that objects do not move between equal regions. */
    private static final double LEAST_GAIN = 0.1;

    private final Window window;

    Gravity(int size) {
      this.window = new Window(size);
    }

    @Override
    public int wanted(int region, int owner) {
      if (!window.add(region)) {
        return owner;
      }
      int best =
          IntStream.range(0, REGIONS)
              .boxed()
              .min((a, b) -> Double.compare(millis(a), millis(b)))
              .orElseThrow();
      return millis(best) < (1 - LEAST_GAIN) * millis(owner) ? best : owner;
    }

    private double millis(int place) {
      return CentreOfGravity.millis(place, window::count);
    }
  }
}
