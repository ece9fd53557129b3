// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import io.retroscope.sonify.soundscape.Layer;
import java.util.HashMap;
import java.util.Map;

/**
 * Gives each rule, place and patch that sounds a MIDI channel of its own, because volume and pan
 * belong to channels. There are 15, as the tenth is for drums; the one least used is given up.
 */
final class NoteChannels {
  private static final int CHANNEL_COUNT = 16;
  private static final int DRUM_KIT = 9;

  private final Map<Part, Channel> channels = new HashMap<>();
  private long uses;

  /** What shares a channel. */
  record Part(String rule, Layer layer, String patch, double pan) {}

  /** A channel in use. Its notes are counted by its user. */
  static final class Channel {
    final int number;
    int soundingCount;
    boolean endless;
    private long lastUse;

    private Channel(int number) {
      this.number = number;
    }

    /** Endless notes are given up last, others that sound before them. */
    private long worth() {
      return lastUse + (endless ? 1L << 61 : soundingCount > 0 ? 1L << 60 : 0);
    }
  }

  /**
   * The channel of a part.
   *
   * @param fresh whether the part has just been given it: its notes must be ended, and program,
   *     volume and pan sent
   */
  record Assignment(Channel channel, boolean fresh) {}

  Assignment of(Part part) {
    Channel known = channels.get(part);
    boolean fresh = known == null;
    Channel channel = known == null ? free() : known;
    channel.lastUse = ++uses;
    channels.put(part, channel);
    return new Assignment(channel, fresh);
  }

  private Channel free() {
    if (channels.size() < CHANNEL_COUNT - 1) {
      int next = channels.size();
      return new Channel(next < DRUM_KIT ? next : next + 1);
    }
    Part least = null;
    long worth = Long.MAX_VALUE;
    for (Map.Entry<Part, Channel> entry : channels.entrySet()) {
      if (entry.getValue().worth() < worth) {
        worth = entry.getValue().worth();
        least = entry.getKey();
      }
    }
    Channel given = least == null ? null : channels.remove(least);
    if (given == null) {
      throw new AssertionError("all channels are in use by nothing");
    }
    return new Channel(given.number);
  }
}
