// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import java.time.Duration;
import java.util.Random;
import java.util.function.LongConsumer;

/**
 * A simulation that makes a link alternately fast and slow, on a separate thread, until it is
 * closed.
 *
 * <p>While it is slow, delays occur in bursts. They are log-normal, like delays in clouds: mostly
 * moderate, sometimes long.
 */
public final class LinkWeather implements AutoCloseable {
  private static final Duration FAIR = Duration.ofMillis(1_500);
  private static final Duration SLOW = Duration.ofMillis(2_500);
  private static final Duration LULL = Duration.ofMillis(250);
  private static final int MIN_GUST_MILLIS = 200;
  private static final int MAX_GUST_MILLIS = 600;
  private static final double MEDIAN_DELAY_MILLIS = 220;
  private static final double SIGMA = 0.6;
  private static final long MIN_DELAY_MILLIS = 100;
  private static final long MAX_DELAY_MILLIS = 800;
  private static final Duration JOIN_PATIENCE = Duration.ofSeconds(1);

  private final LongConsumer link;
  private final Random random;
  private final Thread thread = new Thread(this::run, "link-weather");
  private volatile boolean slow;

  private LinkWeather(LongConsumer link, Random random) {
    this.link = link;
    this.random = random;
  }

  /**
   * Starts with a fast link.
   *
   * @param link receives the new delay in milliseconds
   */
  public static LinkWeather begin(LongConsumer link, Random random) {
    LinkWeather weather = new LinkWeather(link, random);
    weather.thread.setDaemon(true);
    weather.thread.start();
    return weather;
  }

  /** A link that stays fast. */
  public static LinkWeather fair() {
    return new LinkWeather(delay -> {}, new Random());
  }

  /** Whether the link is slow now. */
  public boolean isSlow() {
    return slow;
  }

  private void run() {
    try {
      while (true) {
        Deadline.sleep(FAIR);
        slow = true;
        blow(Deadline.in(SLOW));
        slow = false;
        link.accept(0);
      }
    } catch (InterruptedException e) {
      link.accept(0);
    }
  }

  private void blow(Deadline end) throws InterruptedException {
    while (!end.hasPassed()) {
      link.accept(delayMillis());
      Deadline.sleep(
          Duration.ofMillis(MIN_GUST_MILLIS + random.nextInt(MAX_GUST_MILLIS - MIN_GUST_MILLIS)));
      link.accept(0);
      Deadline.sleep(LULL);
    }
  }

  private long delayMillis() {
    double delay = MEDIAN_DELAY_MILLIS * Math.exp(SIGMA * random.nextGaussian());
    return Math.max(MIN_DELAY_MILLIS, Math.min(MAX_DELAY_MILLIS, Math.round(delay)));
  }

  /** Ends the simulation with a fast link. */
  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join(JOIN_PATIENCE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
