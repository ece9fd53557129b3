// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sound.sampled.LineUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * A sink over a device that may be absent, vanish and come back. Without the device, samples are
 * discarded at the pace at which they would have sounded. Not thread-safe.
 */
public final class ReopeningSink implements AudioSink {
  /** The time between attempts to open the device. */
  static final long RETRY_FRAMES = 2L * SoundEngine.RATE_HZ;

  private final Callable<AudioSink> device;
  private final Consumer<String> notice;
  private final Pause pause;
  private @Nullable AudioSink open;
  private long untilRetry;

  /** A wait. */
  @FunctionalInterface
  interface Pause {
    void nanos(long nanos) throws InterruptedException;
  }

  /**
   * A sink that opens its device now, and again when it fails.
   *
   * @param device opens it
   * @param notice takes a sentence when the device is absent, and when it is back
   */
  public ReopeningSink(Callable<AudioSink> device, Consumer<String> notice) {
    this(device, notice, TimeUnit.NANOSECONDS::sleep);
  }

  ReopeningSink(Callable<AudioSink> device, Consumer<String> notice, Pause pause) {
    this.device = device;
    this.notice = notice;
    this.pause = pause;
    try {
      open = device.call();
    } catch (Exception e) {
      lost("no live sound: " + reason(e));
    }
  }

  private static String reason(Exception e) {
    return e instanceof LineUnavailableException
        ? String.valueOf(e.getMessage())
        : "the device cannot be opened: " + e;
  }

  private void lost(String message) {
    open = null;
    untilRetry = RETRY_FRAMES;
    notice.accept(message);
  }

  @Override
  public boolean write(float[] stereo, int frames) {
    AudioSink current = open;
    if (current == null) {
      return discard(frames);
    }
    if (!current.write(stereo, frames)) {
      current.close();
      lost("the sound device is gone; sound continues when it is back");
    }
    return true;
  }

  private boolean discard(int frames) {
    try {
      pause.nanos(frames * 1_000_000_000L / SoundEngine.RATE_HZ);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    untilRetry -= frames;
    if (untilRetry <= 0) {
      untilRetry = RETRY_FRAMES;
      retry();
    }
    return true;
  }

  private void retry() {
    try {
      open = device.call();
      notice.accept("the sound device is back");
    } catch (Exception e) {
      open = null; // Not yet: the next attempt follows.
    }
  }

  @Override
  public void close() {
    if (open != null) {
      open.close();
    }
  }
}
