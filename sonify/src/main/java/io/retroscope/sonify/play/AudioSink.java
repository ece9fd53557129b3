// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

/** A place for samples, which sets the pace: a line of a sound card, or one that only collects. */
public interface AudioSink extends AutoCloseable {
  /**
   * Takes frames; blocks until there is room for them.
   *
   * @param stereo interleaved
   * @return false if the device is gone
   */
  boolean write(float[] stereo, int frames);

  @Override
  void close();
}
