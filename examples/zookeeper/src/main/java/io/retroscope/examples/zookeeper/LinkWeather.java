package io.retroscope.examples.zookeeper;

import java.time.Duration;
import java.util.Random;
import java.util.function.LongConsumer;

/**
 * Makes a link fair and slow by turns, on a thread of its own, until it is closed.
 *
 * <p>While it is slow the delay changes again and again; it is log-normal, as delays in clouds are:
 * mostly moderate, sometimes long.
 */
final class LinkWeather implements AutoCloseable {
  private static final Duration FAIR = Duration.ofMillis(1_800);
  private static final Duration SLOW = Duration.ofMillis(2_400);
  private static final Duration GUST = Duration.ofMillis(200);
  private static final double MEDIAN_DELAY_MILLIS = 110;
  private static final double SIGMA = 0.8;
  private static final long MAX_DELAY_MILLIS = 700;
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
   * Begins with a fair link.
   *
   * @param link takes the delay, in milliseconds, from now on
   */
  static LinkWeather begin(LongConsumer link, Random random) {
    LinkWeather weather = new LinkWeather(link, random);
    weather.thread.setDaemon(true);
    weather.thread.start();
    return weather;
  }

  /** Whether the link is slow now. */
  boolean isSlow() {
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
      Deadline.sleep(GUST);
    }
  }

  private long delayMillis() {
    double delay = MEDIAN_DELAY_MILLIS * Math.exp(SIGMA * random.nextGaussian());
    return Math.min(MAX_DELAY_MILLIS, Math.round(delay));
  }

  /** Leaves the link fair. */
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
